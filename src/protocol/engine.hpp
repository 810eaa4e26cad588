// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The coherence engine of one node: home-based lazy release consistency as a pure state machine.
// See docs/internals/protocol/README.md for the rules, with the reasons and the races they close.
//
// Inputs are the handle_* calls; outputs are calls on Effects and PageMemory made before the
// handle_* call returns. The engine has no clock, thread, lock, socket or random number, and does
// the same for the same inputs. It is not thread-safe: the caller serialises.
//
// Thread operations that may have to wait take a WaitId of the caller's choosing and end with
// exactly one Effects::complete(WaitId), possibly before the handle_* call returns.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "base/page_range.hpp"
#include "protocol/interface/adding_targets.hpp"
#include "protocol/interface/counters.hpp"
#include "protocol/interface/effects.hpp"
#include "protocol/interface/engine_config.hpp"
#include "protocol/interface/exposed_memory.hpp"
#include "protocol/interface/memory_use.hpp"
#include "protocol/interface/page_memory.hpp"
#include "protocol/pages/page_kinds.hpp"

namespace weft {

#ifdef WEFT_DELIBERATE_BUGS
class Coverage;
#endif

class Engine {
 public:
  // `exposed` where nodes share memory with others of their host. All of them outlive the engine.
  Engine(const EngineConfig& config, PageMemory& memory, Effects& effects);
  Engine(const EngineConfig& config, PageMemory& memory, Effects& effects, ExposedMemory& exposed);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // --- what the program's threads do ---
  // A thread touched an absent page. The page is mapped now or later; the caller waits until
  // is_mapped(page), and calls again if the page has gone by the time the thread retries.
  // `stream` tells the node's threads apart for read-ahead.
  void handle_fault(PageIndex page, std::uint32_t stream);
  [[nodiscard]] bool is_mapped(PageIndex page) const;

  // A thread is about to store to each byte of these pages, before it loads any of them, and nobody
  // else touches them before it has. What they hold is not needed here. May do nothing.
  void handle_overwrite(PageRange pages);
  // A thread is about to use these pages, or most of them. Those that are not here come as if it
  // had touched them, and nobody waits. Returns on how many it would have faulted, at least. May do
  // nothing.
  std::uint64_t handle_prefetch(std::span<const PageRange> pages, MemoryUse use);
  // This node's threads will use these pages while they hold the lock: those that are not here come
  // with it, as if a thread had missed them then (protocol/locks.md, 15). May do nothing.
  void handle_lock_data(LockId lock, std::span<const PageRange> pages);
  // Sends what this node has written to these pages, homed elsewhere, to their homes now, as an
  // early part of its next release. Orders nothing. Returns how many pages it sent. May do nothing.
  std::uint64_t handle_commit(std::span<const PageRange> pages);
  // Its contents are not here: another node has to be asked for them.
  [[nodiscard]] bool is_absent(PageIndex page) const;
  // The same, and they will be if nothing happens to the page meanwhile.
  [[nodiscard]] bool is_under_way(PageIndex page) const;

  // Takes a lock for one thread. Threads of one node queue here too.
  void handle_acquire(LockId lock, WaitId wait);
  // For a section that only adds to these words (protocol/locks.md, 26): as handle_acquire, or ends
  // with complete_adding and the right to add without the lock.
  void handle_acquire_adding(LockId lock, AddingTargets targets, WaitId wait);
  // The section, by that right or by one that was shown (Effects::show_right). Its inputs: all
  // that its terms were computed from since.
  [[nodiscard]] AddingResult handle_add(LockId lock, std::uint64_t right,
                                        const AddingSection& section);
  // As handle_acquire, but does not queue behind a holder: completes with complete_try(wait, taken)
  // once it is known whether the lock was free. Wherever the token is, the answer is the lock's
  // state at some moment between call and completion.
  void handle_try_acquire(LockId lock, WaitId wait);
  void handle_release(LockId lock);

  // This node has arrived: all of its threads of the team have. One at a time; completes when all
  // nodes have arrived and this node has acquired what they wrote.
  void handle_barrier(WaitId wait, BarrierInput input = {});
  // This node waits for what others do without a message, and may be alone to know that: at a
  // barrier, before one (handle_gather), or for a publication. To be called again and again.
  // `gives_up`: no more.
  void handle_meeting(bool gives_up);
  [[nodiscard]] bool is_meeting() const;
  // Before this node's own arrival: completes when its children in the barrier's tree have arrived,
  // with what they bring, in the order of the nodes. What this node makes of it is to be in its own
  // contribution; node 0 has what all have brought. (With few nodes all of it comes to node 0, and
  // to no other: config.passes_contributions_on().)
  void handle_gather(WaitId wait);
  // Node 0 alone, while every other node has arrived at the last barrier and does nothing behind
  // it: releases node 0's writes to all nodes, with a payload for them. Completes when node 0 is in
  // the next epoch; the phase `next` begins. `others_here`: as in BarrierInput.
  void handle_publish(Bytes payload, PhaseKey next, bool others_here, WaitId wait);

  // Sequencers: `advance` is a release and sets the count to `value` if it is lower; `await`
  // completes once the count is at least `value`, and is an acquire of what was released by the
  // advances up to there.
  void handle_advance(SequencerId sequencer, std::uint64_t value);
  void handle_await(SequencerId sequencer, std::uint64_t value, WaitId wait);

  // A release towards one node, with a payload for it; does not block. `to` may be this node.
  void handle_post(NodeId to, Bytes payload);

  // A flush by a thread of this node that orders its writes for those who flush explicitly later,
  // handle_fence, on any node. All handle_* calls by which threads synchronise are one anyhow.
  void note_flush();
  // An explicit flush: this node acquires what all nodes have flushed before it, wherever their
  // threads are or wait. Behind a poll, also what is not flushed.
  void handle_fence(WaitId wait, FlushKind kind = FlushKind::kAsks);
  // The layers above have heard something from another node beside the protocol.
  void note_heard();

  // One atomic operation on shared memory, performed at the page's home. `patient`: a load, which
  // may take as long as the value is request.operand.
  void handle_atomic(const AtomicRequest& request, Ordering ordering, WaitId wait,
                     bool patient = false);
  // The next load of that word will find what its home shows, if it is given a moment: the home has
  // shown it to this node before, and this node is to hear what it was stored behind, or has stored
  // there itself. Nobody need be asked so long.
  [[nodiscard]] bool is_to_hear(const AtomicRequest& load, Ordering ordering, bool patient) const;
  // The only word of which that may be so.
  [[nodiscard]] GlobalOffset last_shown() const;
  // A patient load is to end soon, whatever the value is. To be repeated until it has.
  void handle_hurry(WaitId wait);

  // An update that commutes with others of the same object (MergedAtomics::commutes), of relaxed
  // order, whose result nobody wants. True: this node's threads see it done; at the home it is done
  // by the time that others acquire what this node releases next, or handle_flush. False: not now
  // (this node is in a barrier, or merging is off), it is to be done by handle_atomic.
  [[nodiscard]] bool handle_merge(const AtomicRequest& update);
  // Sends what handle_merge has kept, so that others see it though this node releases nothing, or
  // waits in a barrier.
  void handle_flush();

  // The layers above send something beside the protocol: what waits for a publication goes first.
  void handle_send();

  // Memory is short: takes away up to `page_count` copies of other nodes' pages that were not
  // written in this epoch, those that came longest ago first; then, if it may, written ones, whose
  // diffs go to their homes.
  void handle_memory_pressure(std::uint64_t page_count, bool may_write_back);

  // --- what arrives ---
  // A message from another node, in the order that Effects::send promises. One that cannot be
  // read ends the job (base/peers/sender.hpp); what it says is trusted, as nodes of a job run one
  // program.
  void handle_message(NodeId from, ByteView message);

  // This node is in a barrier, or something here waits for updates: it may need messages that
  // may_wait() (protocol/messages/message_type.hpp) as soon as they come.
  [[nodiscard]] bool awaits_others() const;

  [[nodiscard]] Epoch epoch() const;
  // Node 0, until it publishes next: all others have arrived at the last barrier, and none has
  // threads outside the team.
  [[nodiscard]] bool is_alone() const;
  // kNoNode (protocol/interface/home_facts.hpp): this node does not know.
  [[nodiscard]] NodeId home_of(PageIndex page) const;
  // Page states are those of the next epoch already.
  [[nodiscard]] bool is_between_epochs() const;
  // The pages whose contents are not here.
  [[nodiscard]] PageSet invalid_pages() const;
  // Those that may hold something else than their initial contents (PageTable::used_pages).
  [[nodiscard]] PageSet used_pages(PageRange pages) const;
  [[nodiscard]] const EngineCounters& counters() const;
  // The pages homed here that were used, by what they are used for. Over all nodes, each page that
  // the job has used counts once.
  [[nodiscard]] PagesByKind pages_by_kind() const;
#ifdef WEFT_DELIBERATE_BUGS
  [[nodiscard]] const Coverage& coverage() const;
#endif

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace weft
