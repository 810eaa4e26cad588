// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of one node's engine, and how they are wired together.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "protocol/comparisons/recalls.hpp"
#include "protocol/context/context.hpp"
#include "protocol/engine.hpp"
#include "protocol/epochs/barrier.hpp"
#include "protocol/epochs/epoch_turn.hpp"
#include "protocol/fetching/fetcher.hpp"
#include "protocol/homes/home_finder.hpp"
#include "protocol/intervals/coherence.hpp"
#include "protocol/intervals/copies.hpp"
#include "protocol/intervals/home_updates.hpp"
#include "protocol/locks/lock_pages.hpp"
#include "protocol/locks/lock_table.hpp"
#include "protocol/messages/message_codec.hpp"
#include "protocol/operations/atomics.hpp"
#include "protocol/operations/fences.hpp"
#include "protocol/operations/posts.hpp"
#include "protocol/operations/sequencer_table.hpp"
#include "protocol/pages/page_access.hpp"
#include "protocol/pages/page_table.hpp"
#include "protocol/pushing/pusher.hpp"
#include "protocol/updates/held_updates.hpp"
#include "protocol/updates/merged_atomics.hpp"
#include "protocol/updates/update_streams.hpp"

namespace weft {

// Holds the parts together: hands inputs to them, and keeps what comes too early until its epoch.
class Engine::State {
 public:
  State(const EngineConfig& config, PageMemory& memory, Effects& effects)
      : context{config, memory, effects, {}, {}, false, {}, false, {}},
        table(context.config),
        access(table, memory, merged),
        streams(config.self),
        vectors(context, table),
        releases(config.release_policy),
        invalidation(table, access, releases),
        home_updates(context, table, access, streams, merged, pending_atomics, vectors, writes,
                     invalidation),
        copies(context, table, access, merged, vectors, writes, invalidation, home_updates),
        coherence(context, table, access, streams, merged, pending_atomics, writes, releases,
                  home_updates, copies),
        holders(context, table),
        recalls(context, table, holders),
        pusher(context, table, access, holders, vectors),
        homes(context, table),
        fetcher(context, table, access, streams, pusher, holders, homes, vectors),
        lock_pages(context, table, access, coherence, streams, holders, writes),
        bindings(context, table),
        locks(context, coherence, streams, lock_pages, bindings, releases),
        sequencers(context, coherence, streams),
        posts(context, coherence, streams),
        fences(context, coherence, streams, writes, releases),
        atomics(context, table, coherence, streams, homes, vectors, pending_atomics, writes,
                home_updates, copies),
        turn(context, table, access, coherence, streams, pusher, holders, writes, home_updates),
        barrier(context, coherence, home_updates, streams, holders, pusher, recalls, fetcher,
                turn) {
#ifdef WEFT_DELIBERATE_BUGS
    table.coverage = &context.coverage;
#endif
    invalidation.on_wanted = [this](const auto& pages) { fetcher.ask_again(pages); };
    coherence.on_carried_update = [this](NodeId writer, const Update& update) {
      take_updates(writer, context.epoch, {update});
    };
    coherence.on_release_here = [this](const PageSet& pages, std::function<void()> done) {
      recalls.recall(pages, context.config.self, std::move(done));
    };
    fetcher.on_asking = [this](NodeId home) { home_updates.prepare_to_read(home); };
    fetcher.on_missed = [this](PageIndex page) { lock_pages.note_missed(page); };
    fetcher.on_touched = [this](PageIndex page) { lock_pages.note_touched(page); };
    bindings.on_bound = [this](const PageSet& pages) {
      coherence.learn_carried(pages);
      fetcher.fetch_absent(pages);  // to hand them on
    };
    bindings.on_move_wanted = [this](LockId lock, NodeId to) { locks.want_home_at(lock, to); };
    lock_pages.on_mapped = [this](PageRange pages) { fetcher.adopt(pages); };
    pusher.on_mapped = [this](PageRange pages) { fetcher.adopt(pages); };
    pusher.on_wanted = [this](const auto& pages) { fetcher.ask_again(pages); };
    atomics.on_home_found = [this](const AtomicRequest& request, Ordering ordering, WaitId wait) {
      start_atomic(request, ordering, wait);
    };
    if (config.carries_all && lock_pages.carries()) {
      coherence.learn_carried(PageSet{PageRange{PageIndex(0), config.page_count}});
    }
  }

  // Runs an operation of a thread of this node: now, or once the next epoch has begun if this node
  // is on its way there. (The thread is then one outside the team that the barrier is for.)
  template <typename Operation>
  void operate(Operation&& operation, bool may_run_in_barrier = true) {
    if (context.departing || (!may_run_in_barrier && is_at_rest())) {
      operations_set_aside.emplace_back(std::forward<Operation>(operation));
      if (!context.departing) wish_for_departure();
    } else {
      operation();
      handle_what_was_set_aside();
    }
  }

  void receive(NodeId from, ByteView message);
  void receive_one(NodeId from, ByteView message);
  void start_atomic(const AtomicRequest& request, Ordering ordering, WaitId wait);
  [[nodiscard]] PagesByKind pages_by_kind() const;

  // The phase that counts: where it makes no difference, all are one.
  [[nodiscard]] PhaseKey phase_of(PhaseKey named) const {
    constexpr PhaseKey kAll(1);
    return context.config.pushes_everywhere ? kAll : named;
  }

  // In a barrier, and without threads outside the team: what is written now is in nobody's notices.
  [[nodiscard]] bool is_at_rest() const {
    return barrier.has_arrived() && !writes.late.others_here();
  }

  Context context;
  PageTable table;
  MergedAtomics merged;
  PendingAtomics pending_atomics;
  PageAccess access;
  UpdateStreams streams;
  WriteVectors vectors;
  EpochWrites writes;
  EagerReleases releases;
  Invalidation invalidation;
  HomeUpdates home_updates;
  Copies copies;
  Coherence coherence;
  CopyHolders holders;
  Recalls recalls;
  Pusher pusher;
  HomeFinder homes;
  Fetcher fetcher;
  LockPages lock_pages;
  PageBindings bindings;
  LockTable locks;
  SequencerTable sequencers;
  Posts posts;
  Fences fences;
  Atomics atomics;
  EpochTurn turn;
  Barrier barrier;

 private:
  struct SetAside {
    NodeId from;
    Bytes message;
  };

  [[nodiscard]] bool may_handle(const MessageHeader& header) const;
  void wish_for_departure();
  void handle_what_was_set_aside();
  bool handle_one_set_aside();
  void dispatch(NodeId from, ByteView message);
  void dispatch_synchronisation(NodeId from, const MessageHeader& header, WireReader& wire);
  void on_update(NodeId from, Epoch epoch, const Update& update);
  void take_updates(NodeId from, Epoch epoch, const std::vector<Update>& updates);
  void on_release(NodeId from, Epoch epoch, const Release& message);
  void on_recall(NodeId from, const Recall& message);
  void on_barrier(NodeId from, const MessageHeader& header, WireReader& wire);
  void apply_update(NodeId from, Epoch epoch, const Update& update);
  void on_push(NodeId from, Epoch epoch, const Push& push);

  std::vector<SetAside> messages_set_aside;
  HeldUpdates updates_held{streams};
  std::vector<std::function<void()>> operations_set_aside;
};

}  // namespace weft
