// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an engine is given and what it asks for, in terms that it shares with its surroundings.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "protocol/interface/page_memory.hpp"

namespace weft {

using WaitId = Id<struct WaitTag, std::uint64_t>;

enum class Priority : std::uint8_t { kControl, kData };

// Memory order of an atomic operation, as far as coherence goes.
enum class Ordering : std::uint8_t { kRelaxed, kAcquire, kRelease, kAcquireRelease };

[[nodiscard]] constexpr bool acquires(Ordering ordering) {
  return ordering == Ordering::kAcquire || ordering == Ordering::kAcquireRelease;
}
[[nodiscard]] constexpr bool releases(Ordering ordering) {
  return ordering == Ordering::kRelease || ordering == Ordering::kAcquireRelease;
}
[[nodiscard]] constexpr Ordering with_release(Ordering ordering) {
  return acquires(ordering) ? Ordering::kAcquireRelease : Ordering::kRelease;
}

// What an explicit flush is for (protocol/operations.md, 21).
enum class FlushKind : std::uint8_t {
  kAsks,      // its thread may wait for what others flush, and look at nothing else
  kConfirms,  // it has synchronised by atomic operations: it asks if there may be more to acquire
  kPolled,    // a flag has been seen, stored by a thread that may have flushed nothing
};

// What a node brings to a barrier.
struct BarrierInput {
  PhaseKey next;           // the phase that begins after the barrier; node 0's counts
  std::uint8_t votes = 0;  // bits; every node gets those of all nodes together
  // For this node's parent in the barrier's tree, see handle_gather; empty is none.
  Bytes contribution;
  // The parent acquires what this node has written before it gets the contribution, rather than
  // after the barrier alone. For contributions that name shared memory.
  bool release_to_parent = false;
  // Threads outside the team run on this node, and may go on doing so until its next arrival
  // (protocol/epochs.md, 7).
  bool others_here = false;
  // This node's threads touch no shared memory until it departs.
  bool threads_wait = true;
  // Node 0 alone goes on behind this barrier, until it publishes; on node 0: what the others are
  // told of the barrier may go with that (protocol/epochs.md, 7).
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
  // The same; the message ends with `tail`, which may be large and goes with it.
  virtual void send_tail(NodeId to, Priority priority, Bytes message, Bytes tail) {
    message.insert(message.end(), tail.begin(), tail.end());
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
  // Instead of complete(), for handle_acquire_adding: the thread does not hold the lock, but may
  // add under it (handle_add).
  virtual void complete_adding(WaitId wait, std::uint64_t right) {
    (void)wait;
    (void)right;
  }
  // Instead of complete(), for handle_acquire and handle_acquire_adding: the lock is entrusted, and
  // the thread is to take it as if it came now.
  virtual void try_again(WaitId wait) = 0;
  // A lock is free here, and no other node waits for it: this node's threads may pass it on among
  // themselves without the engine, until it is called back (entrusted_locks.hpp). False: they will
  // not.
  virtual bool entrust(LockId lock) {
    (void)lock;
    return false;
  }
  // Ends that: no thread takes it any more. Whether one holds it, which calls handle_release.
  virtual bool call_back(LockId lock) {
    (void)lock;
    return false;
  }
  // This node may add under the lock: its threads may begin sections by this right without the
  // engine, until the lock is called back.
  virtual void show_right(LockId lock, std::uint64_t right) {
    (void)lock;
    (void)right;
  }
  // Node 0 published this payload (see handle_publish) and this node has acquired what node 0
  // wrote. Never called on node 0.
  virtual void deliver_publication(ByteView payload) = 0;
  // A node posted this payload (see handle_post) and this node has acquired what that one had
  // written or acquired before. Posts of one node arrive in order.
  virtual void deliver_post(NodeId from, ByteView payload) = 0;
};

}  // namespace weft
