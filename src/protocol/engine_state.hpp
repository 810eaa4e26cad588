// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of one node's engine, and how they are wired together.
#pragma once

#include <type_traits>
#include <utility>
#include <vector>

#include "protocol/comparisons/recalls.hpp"
#include "protocol/context/context.hpp"
#include "protocol/context/step.hpp"
#include "protocol/engine.hpp"
#include "protocol/epochs/barrier.hpp"
#include "protocol/epochs/empty_barriers.hpp"
#include "protocol/epochs/epoch_turn.hpp"
#include "protocol/exchange/exchanges.hpp"
#include "protocol/fetching/exposure.hpp"
#include "protocol/fetching/fetcher.hpp"
#include "protocol/fetching/flag_needs.hpp"
#include "protocol/fetching/lock_needs.hpp"
#include "protocol/homes/home_finder.hpp"
#include "protocol/intervals/coherence.hpp"
#include "protocol/intervals/collection.hpp"
#include "protocol/intervals/copies.hpp"
#include "protocol/intervals/home_updates.hpp"
#include "protocol/intervals/overwriting.hpp"
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
#include "protocol/updates/carried_diffs.hpp"
#include "protocol/updates/completion.hpp"
#include "protocol/updates/deferred_updates.hpp"
#include "protocol/updates/held_updates.hpp"
#include "protocol/updates/merged_atomics.hpp"
#include "protocol/updates/update_streams.hpp"

namespace weft {

// Holds the parts together: hands inputs to them, and keeps what comes too early until its epoch.
class Engine::State {
 public:
  State(const EngineConfig& config, PageMemory& memory, Effects& effects, ExposedMemory& exposed)
      : context{.config = config, .memory = memory, .effects = effects, .exposed = exposed},
        table(context.config),
        open(exposed),
        shown(exposed),
        access(table, memory, merged, open),
        streams(config.self),
        deferred(context, streams),
        vectors(context, table),
        releases(config.release_policy),
        holders(context, table),
        recalls(context, table, holders, releases),
        exchanges(context),
        pusher(context, table, access, holders, vectors, exchanges),
        homes(context, table),
        lock_needs(context, access, carried),
        flag_needs(context, access, carried),
        exposure(context, table, access, holders),
        fetcher(context, table, access, streams, deferred, pusher, holders, homes, vectors,
                lock_needs, flag_needs, exposure),
        invalidation(table, access, releases, fetcher),
        home_updates(context, table, access, streams, deferred, merged, pending_atomics, vectors,
                     writes, invalidation, holders, shown),
        copies(context, table, access, merged, vectors, writes, fetcher, invalidation,
               home_updates),
        overwriting(context, table, access, streams, merged, pusher, fetcher),
        coherence(context, table, access, streams, carried, merged, pending_atomics, writes,
                  releases, recalls, home_updates, copies),
        collection(context, coherence),
        lock_pages(context, table, access, coherence, streams, holders, writes, lock_needs,
                   fetcher),
        bindings(context, table, coherence, fetcher),
        locks(context, coherence, streams, lock_pages, bindings, releases),
        sequencers(context, coherence, streams),
        posts(context, coherence, streams),
        fences(context, coherence, streams, writes, releases, flag_needs),
        atomics(context, table, coherence, streams, homes, vectors, pending_atomics, writes,
                releases, home_updates, copies, flag_needs, open, shown),
        turn(context, table, access, coherence, streams, pusher, holders, writes, home_updates,
             exposure, open, exchanges),
        empty_barriers(context, coherence, pusher),
        barrier(context, coherence, home_updates, streams, holders, pusher, recalls, fetcher, turn,
                empty_barriers, exchanges) {
    exposed.begin_epoch(context.epoch);
#ifdef WEFT_DELIBERATE_BUGS
    table.coverage = &context.coverage;
#endif
    if (config.carries_all && lock_pages.carries()) {
      coherence.learn_carried(PageSet{PageRange{PageIndex(0), config.page_count}});
    }
  }

  // Runs an operation of a thread of this node: now, or once the next epoch has begun if this node
  // is on its way there. (The thread is then one outside the team that the barrier is for.)
  // In a barrier at rest atomic operations have to wait, too: a signal handler's may come at any
  // time.
  template <typename Operation>
  void operate(Operation operation) {
    constexpr bool kMayRunAtRest = !std::is_same_v<Operation, step::StartAtomic>;
    if (context.is_departing() || (!kMayRunAtRest && is_at_rest())) {
      operations_set_aside.emplace_back(std::move(operation));
      if (!context.is_departing()) wish_for_departure();
    } else {
      go_on(operation);
      handle_what_was_set_aside();
      look_again();
    }
  }

  void receive(NodeId from, ByteView message);
  void look_again();
  void receive_one(NodeId from, ByteView message);
  [[nodiscard]] PagesByKind pages_by_kind() const;
  // What comes with an arrival may be what an asker waits for, a patient load too, or what an
  // update has to follow.
  [[nodiscard]] bool awaits_others() const {
    if (context.barrier == BarrierState::kRunning && WEFT_BUG(kAwaitSilently)) return false;
    return context.barrier != BarrierState::kRunning || empty_barriers.is_waiting() ||
           streams.has_waiting() || atomics.has_kept() || !updates_held.empty() ||
           !messages_set_aside.empty() || !operations_set_aside.empty();
  }

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
  OpenPages open;
  ShownWords shown;
  PageAccess access;
  UpdateStreams streams;
  DeferredUpdates deferred;
  CarriedDiffs carried;
  WriteVectors vectors;
  EpochWrites writes;
  EagerReleases releases;
  CopyHolders holders;
  Recalls recalls;
  Exchanges exchanges;
  Pusher pusher;
  HomeFinder homes;
  LockNeeds lock_needs;
  FlagNeeds flag_needs;
  Exposure exposure;
  Fetcher fetcher;
  Invalidation invalidation;
  HomeUpdates home_updates;
  Copies copies;
  Overwriting overwriting;
  Coherence coherence;
  Collection collection;
  LockPages lock_pages;
  PageBindings bindings;
  LockTable locks;
  SequencerTable sequencers;
  Posts posts;
  Fences fences;
  Atomics atomics;
  EpochTurn turn;
  EmptyBarriers empty_barriers;
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
  void demand_before(const Update& update);
  void take_updates(NodeId from, Epoch epoch, const std::vector<Update>& updates);
  void on_release(NodeId from, Epoch epoch, const Release& message);
  void on_recall(NodeId from, const Recall& message);
  void on_barrier(NodeId from, const MessageHeader& header, WireReader& wire);
  void apply_update(NodeId from, Epoch epoch, const Update& update);
  void on_push(NodeId from, Epoch epoch, const Push& push);
  void on_exchange_round(const ExchangeRound& message);
  void on_homes(Epoch epoch, const HomeReply& message);
  void take_carried(const std::optional<Coherence::Acquired>& acquired,
                    const std::vector<CarriedUpdate>& updates);
  void on_grant(NodeId from, Epoch epoch, const LockGrant& message);
  void acquire(Epoch epoch, const std::vector<Record>& records,
               const std::vector<CarriedUpdate>& updates);
  void on_atomic_ask(NodeId from, Epoch epoch, AtomicAsk message);
  void on_atomic_reply(NodeId from, Epoch epoch, const AtomicReply& message);
  void on_atomic_store(NodeId from, Epoch epoch, const AtomicStore& message);
  void on_atomic_told(NodeId from, Epoch epoch, const AtomicTold& message);
  void on_fence_ask(NodeId from, Epoch epoch, const FenceAsk& message);
  void on_fence_reply(Epoch epoch, const FenceReply& message);
  void begin_next_epoch_if_complete();

  // --- steps that have waited (engine_steps.cpp) ---
  void take(const Step& step);
  // Those that may be taken since updates were applied, or releases are complete.
  void take_applied();
  void take_released();
  void go_on(const step::Fault& step);
  void go_on(const step::AcquireLock& step);
  void go_on(const step::AcquireAdding& step);
  void go_on(const step::TryLock& step);
  void go_on(const step::ReleaseLock& step);
  void go_on(const step::EnterBarrier& step);
  void go_on(const step::Gather& step);
  void go_on(const step::EnterPublication& step);
  void go_on(const step::AdvanceSequencer& step);
  void go_on(const step::AwaitSequencer& step);
  void go_on(const step::PostPayload& step);
  void go_on(const step::StartFence& step);
  void go_on(const step::StartAtomic& step);
  void go_on(const step::FetchPages& step);
  void go_on(const step::RestartAtomic& step);
  void go_on(const step::ArriveAtBarrier& step);
  void go_on(const step::StartPublication& step);
  void go_on(const step::StartGather& step);
  void go_on(const step::GrantLock& step);
  void go_on(const step::RaiseSequencer& step);
  void go_on(const step::SendAdvance& step);
  void go_on(const step::SendPost& step);
  void go_on(const step::AskFence& step);
  void go_on(const step::AnswerFence& step);
  void go_on(const step::PerformAtomic& step);
  void go_on(const step::AskAtomic& step);
  void go_on(const step::ServeFetch& step);
  void go_on(const step::AnswerAtomic& step);
  void go_on(const step::RecallCopies& step);
  void go_on(const step::CompleteGather& step);
  // The others are told to a thread.
  template <typename Completion>
  void go_on(const Completion& step) {
    complete(context.effects, step);
  }

  std::vector<SetAside> messages_set_aside;
  HeldUpdates updates_held{streams};
  std::vector<Step> operations_set_aside;
};

}  // namespace weft
