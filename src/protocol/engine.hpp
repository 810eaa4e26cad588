// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The coherence engine of one node: home-based lazy release consistency as a pure state machine.
// See docs/internals/protocol.md for the rules, with the reasons and the races they close.
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
#include <vector>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "base/page_range.hpp"
#include "protocol/counters.hpp"
#include "protocol/page_kinds.hpp"
#include "protocol/page_memory.hpp"

namespace weft {

using WaitId = Id<struct WaitTag, std::uint64_t>;

enum class Priority : std::uint8_t { kControl, kData };

// Memory order of an atomic operation, as far as coherence goes.
enum class Ordering : std::uint8_t { kRelaxed, kAcquire, kRelease, kAcquireRelease };

// What a node brings to a barrier.
struct BarrierInput {
  IntervalKey next;        // the interval that begins after the barrier; node 0's counts
  std::uint8_t votes = 0;  // bits; every node gets those of all nodes together
  // For this node's parent in the barrier's tree, see handle_gather; empty is none.
  Bytes contribution;
  // The parent acquires what this node has written before it gets the contribution, rather than
  // after the barrier alone. For contributions that name shared memory.
  bool release_to_parent = false;
  // Threads outside the team run on this node, and may go on doing so until its next arrival
  // (protocol.md, 7).
  bool others_here = false;
  // This node's threads touch no shared memory until it departs.
  bool threads_wait = true;
  // Node 0 alone goes on behind this barrier, until it publishes; on node 0: what the others are
  // told of the barrier may go with that (protocol.md, 7).
  bool precedes_publication = false;
};

struct Contribution {
  NodeId from;
  Bytes bytes;
};

class Effects {
 public:
  virtual ~Effects() = default;
  // Sends to another node. Between two nodes each priority is a FIFO; the two are unordered.
  virtual void send(NodeId to, Priority priority, Bytes message) = 0;
  // The same; the message ends with these bytes. They are lent: of pages' contents, read at any
  // time until the message arrives. Without a definition of their own they are read at once.
  virtual void send_with(NodeId to, Priority priority, Bytes message,
                         std::span<const ByteView> lent) {
    for (const ByteView bytes : lent) message.insert(message.end(), bytes.begin(), bytes.end());
    send(to, priority, std::move(message));
  }
  // The operation that was started with this id has ended.
  virtual void complete(WaitId wait) = 0;
  // The same for handle_barrier, with the votes of all nodes.
  virtual void complete_barrier(WaitId wait, std::uint8_t votes) = 0;
  // The same for handle_gather, with what each child brings, in the order of their numbers.
  virtual void complete_gather(WaitId wait, std::vector<Contribution> contributions) = 0;
  // The same for handle_await, with what the count has become meanwhile.
  virtual void complete_await(WaitId wait, std::uint64_t count) {
    (void)count;
    complete(wait);
  }
  // The same for an atomic operation, with what it found and left.
  virtual void complete_atomic(WaitId wait, const AtomicResult& result) = 0;
  // The same for handle_try_acquire; the thread holds the lock if `taken`.
  virtual void complete_try(WaitId wait, bool taken) = 0;
  // Node 0 published this payload (see handle_publish) and this node has acquired what node 0
  // wrote. Never called on node 0.
  virtual void deliver_publication(ByteView payload) = 0;
  // A node posted this payload (see handle_post) and this node has acquired what that one had
  // written or acquired before. Posts of one node arrive in order.
  virtual void deliver_post(NodeId from, ByteView payload) = 0;
};

// Consecutive pages whose home, until somebody has written them, is this node.
struct InitialHome {
  PageRange pages;
  NodeId home;
};

// Where a page's home goes at a barrier when one node alone wrote it (protocol.md, 7).
enum class HomePolicy : std::uint8_t {
  kSettle,  // to the writer, unless home and writer take turns
  kFollow,  // to the writer
  kStay,    // nowhere, once it has gone to the first writer
};

// Whether homes send pages ahead to the nodes that asked for them when the program was where it is
// (protocol.md, 14).
enum class PushPolicy : std::uint8_t {
  kOff,
  kWait,  // a node is in the next epoch when it has what it is to get
  kJoin,  // a thread that touches a page which is on its way waits for that alone
};

// What comes with a lock (protocol.md, 15).
enum class LockPolicy : std::uint8_t {
  kPlain,        // the records of who wrote what
  kWriteVector,  // the same; of a page that was here before, its home sends what has changed since
  // Locks have homes, to which they return with what was written in the pages that belong to them,
  // and which hand that on. A page that is needed with locks of several homes belongs
  kRmp,    // to the first
  kRmpLm,  // to the first, and the other locks move there
  kRmpMh,  // to all
  kWeft,   // Locks stay where they were used last, and what was written goes from there
};

[[nodiscard]] constexpr bool carries_data(LockPolicy policy) {
  return policy != LockPolicy::kPlain && policy != LockPolicy::kWriteVector;
}

[[nodiscard]] constexpr bool gives_locks_homes(LockPolicy policy) {
  return carries_data(policy) && policy != LockPolicy::kWeft;
}

// When others hear of what an interval wrote (protocol.md, 20).
enum class ReleasePolicy : std::uint8_t {
  kLazy,   // when they acquire
  kEager,  // when it ends: their copies are taken away before the release is complete
};

// Whether atomic updates whose result nobody wants are kept until the next release (protocol.md,
// 16).
enum class AtomicPolicy : std::uint8_t { kEach, kMerge };

struct EngineConfig {
  NodeId self;
  std::uint16_t node_count = 1;
  std::uint64_t page_count = 0;
  std::vector<InitialHome> initial_homes;  // covers all pages, ascending
  // Children of a node in the barrier's tree, where there are more than `shaped_nodes` nodes. With
  // so few the tree is one level at first, and follows who sends to whom (protocol.md, 7).
  std::uint32_t barrier_arity = 4;
  std::uint16_t shaped_nodes = 8;
  // So many barriers go by from one choice of the tree to the next.
  std::uint32_t barriers_per_tree = 8;
  // What a node brings to a barrier travels in parts of so many bytes if it is longer.
  std::uint32_t contribution_part_bytes = 64 * 1024;
  // How often threads of this node may pass a lock on among themselves while another node waits.
  std::uint32_t lock_fairness = 16;
  // Largest number of pages that one walk of a thread through memory asks for at once.
  std::uint32_t read_ahead_limit = 256;
  HomePolicy home_policy = HomePolicy::kSettle;
  PushPolicy push_policy = PushPolicy::kWait;
  LockPolicy lock_policy = LockPolicy::kWeft;
  AtomicPolicy atomic_policy = AtomicPolicy::kMerge;
  ReleasePolicy release_policy = ReleasePolicy::kLazy;  // eager: of locks that carry no data
  // What some forced kinds of pages add to that (page_policy.hpp).
  bool pushes_for_good = false;    // to all who ever asked: nobody looks whether it is of use
  bool pushes_everywhere = false;  // in all intervals, not in that alone in which it was asked for
  bool carries_all = false;        // with locks: diffs of all pages, not of those learnt alone
  bool fetches_leaves = false;     // with a page, its neighbours in the leaf
  // Pages are pushed in a rhythm that so many equal distances between requests have shown.
  std::uint32_t rhythm_proof = 2;
  // How often in a row an interval's barrier must have been one that could have crossed until it
  // does.
  std::uint32_t crossing_proof = 2;
  // A page that is pushed again and again stays watched through so many epochs that write it in
  // between.
  std::uint32_t watched_writes = 2;
  // So many pages may be pushed in one of the barrier's own messages: as many as in a message of
  // their own. The transport cuts either into frames.
  std::uint32_t barrier_pages = 512;
  // A departure of more bytes does not wait for a publication.
  std::uint32_t held_departure_bytes = 16 * 1024;
  // What is known of pages is kept by 2^leaf_shift of them; and of so many runs of pages that this
  // node has nothing to do with.
  std::uint32_t leaf_shift = 6;
  std::uint32_t remembered_homes = 128;
  // So many of the pages fetched last stay when memory is short: threads are about to use them.
  std::uint32_t kept_pages = 1024;

  [[nodiscard]] bool shapes_tree() const { return node_count <= shaped_nodes; }
  // What nodes bring to a barrier is not made one on its way to node 0.
  [[nodiscard]] bool passes_contributions_on() const { return shapes_tree(); }
};

#ifdef WEFT_DELIBERATE_BUGS
class Coverage;
#endif

class Engine {
 public:
  Engine(const EngineConfig& config, PageMemory& memory, Effects& effects);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // --- what the program's threads do ---
  // A thread touched an absent page. The page is mapped now or later; the caller waits until
  // is_mapped(page), and calls again if the page has gone by the time the thread retries.
  // `stream` tells the node's threads apart for read-ahead.
  void handle_fault(PageIndex page, std::uint32_t stream);
  [[nodiscard]] bool is_mapped(PageIndex page) const;

  // Takes a lock for one thread. Threads of one node queue here too.
  void handle_acquire(LockId lock, WaitId wait);
  // As handle_acquire, but does not queue behind a holder: completes with complete_try(wait, taken)
  // once it is known whether the lock was free. Wherever the token is, the answer is the lock's
  // state at some moment between call and completion.
  void handle_try_acquire(LockId lock, WaitId wait);
  void handle_release(LockId lock);

  // This node has arrived: all of its threads of the team have. One at a time; completes when all
  // nodes have arrived and this node has acquired what they wrote.
  void handle_barrier(WaitId wait, BarrierInput input = {});
  // Before this node's own arrival: completes when its children in the barrier's tree have arrived,
  // with what they bring, in the order of the nodes. What this node makes of it is to be in its own
  // contribution; node 0 has what all have brought. (With few nodes all of it comes to node 0, and
  // to no other: config.passes_contributions_on().)
  void handle_gather(WaitId wait);
  // Node 0 alone, while every other node has arrived at the last barrier and does nothing behind
  // it: releases node 0's writes to all nodes, with a payload for them. Completes when node 0 is in
  // the next epoch; the interval `next` begins. `others_here`: as in BarrierInput.
  void handle_publish(Bytes payload, IntervalKey next, bool others_here, WaitId wait);

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
  // threads are or wait. `polled`: a flag has been seen, stored by a thread that may have flushed
  // nothing; then also what is not flushed.
  void handle_fence(WaitId wait, bool polled = false);

  // One atomic operation on shared memory, performed at the page's home.
  void handle_atomic(const AtomicRequest& request, Ordering ordering, WaitId wait);

  // An update that commutes with others of the same object (MergedAtomics::commutes), of relaxed
  // order, whose result nobody wants. True: this node's threads see it done; at the home it is done
  // by the time that others acquire what this node releases next, or handle_flush. False: not now
  // (this node is in a barrier, or merging is off), it is to be done by handle_atomic.
  [[nodiscard]] bool handle_merge(const AtomicRequest& update);
  // Sends what handle_merge has kept, so that others see it though this node releases nothing.
  void handle_flush();

  // The layers above send something beside the protocol: what waits for a publication goes first.
  void handle_send();

  // Memory is short: takes away up to `page_count` copies of other nodes' pages that were not
  // written in this epoch, those that came longest ago first; then, if it may, written ones, whose
  // diffs go to their homes.
  void handle_memory_pressure(std::uint64_t page_count, bool may_write_back);

  // --- what arrives ---
  // A message from another node, in the order that Effects::send promises. A malformed one is an
  // assertion failure: nodes of a job trust each other.
  void handle_message(NodeId from, ByteView message);

  [[nodiscard]] Epoch epoch() const;
  // kNoNode (protocol/home_facts.hpp): this node does not know.
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
