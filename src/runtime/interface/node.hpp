// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One node of a running job, as the layers above see it (src/openmp, the atomics, the heap).
// Every blocking call here is made by a program thread on its *runtime stack*, never on a stack in
// shared memory (see stacks/stacks.hpp): while a thread is in the runtime, its program
// stack's pages may be taken away like any other.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "protocol/engine.hpp"
#include "protocol/interface/memory_use.hpp"

namespace weft::remote {
class Bell;
}

namespace weft {

// Numbers the kinds of requests that layers above send between nodes beside the protocol.
enum class Service : std::uint8_t {
  kFree,         // memory/heap: blocks freed by a node that does not own them
  kHeapQuery,    // memory/heap: size of a block owned elsewhere
  kLoopSteal,    // openmp: iterations of a loop
  kSingle,       // openmp: who executes a single construct
  kCancel,       // openmp: a construct is cancelled
  kDoacross,     // openmp: who waits for which iterations
  kTasks,        // openmp: tasks that other nodes execute
  kTimes,        // openmp: how long a node has computed
  kShutdown,     // runtime: the program has ended
  kLeaving,      // runtime: a node is done
  kPark,         // pthread: threads that wait for each other
  kDelegated,    // runtime: calls on files and threads, made for each other
  kAnswered,     // runtime: and what came of them
  kAction,       // runtime: what is to be done about a signal
  kLoad,         // runtime: a library that the program loads
  kLoaded,       // runtime: and whether it is there
  kTouched,      // runtime: what lies at an address of the node's private memory
  kMaps,         // maps: pages that another node owns are mapped or given back
  kOpenLater,    // runtime: shared memory that few programs need
  kOwnData,      // runtime: what has changed of a foreign library's own data
  kRemote,       // api: remote memory operations, and what came of them
  kRemotePlace,  // api: where a node's registered memory is
  kPlacing,      // pthread: where new threads start
  kMoves,        // pthread: threads that go on at another node
  kBalance,      // pthread: whether threads may come
  kGathering,    // pthread: whether all come to node 0
  kCount,
};

class Node {
 public:
  virtual ~Node() = default;

  [[nodiscard]] virtual NodeId self() const = 0;
  [[nodiscard]] virtual unsigned node_count() const = 0;
  [[nodiscard]] virtual unsigned threads_per_node() const = 0;
  // A team may be larger than the job: so many threads of a node can have a program stack.
  [[nodiscard]] virtual unsigned most_threads_per_node() const = 0;
  // True if all nodes are on this machine, so that they can name each other's processes.
  [[nodiscard]] virtual bool is_on_one_host() const { return true; }

  // --- synchronisation; all of them block, and drive the node meanwhile ---
  // Once for each node, by one thread: the barrier of the whole job.
  void barrier() { (void)barrier_with({}); }
  // The same with something for the other nodes; returns all nodes' votes (see BarrierInput).
  virtual std::uint8_t barrier_with(BarrierInput input) = 0;
  // The same at the last barrier before node 0 publishes again, by another node: it need not wait
  // here, wait_for_publication does. Until then the node's threads leave shared memory alone.
  virtual void arrive(BarrierInput input) { (void)barrier_with(std::move(input)); }
  // Before that, by the same thread: what the nodes below this one bring to it.
  virtual std::vector<Contribution> gather() = 0;
  virtual void acquire(LockId lock) = 0;
  [[nodiscard]] virtual bool try_acquire(LockId lock) = 0;
  virtual void release(LockId lock) = 0;
  // The same for a section that only adds to these words (protocol/locks.md, 26). 0: the thread
  // holds the lock. Else it has the right to add without it, and the section is add().
  virtual std::uint64_t acquire_adding(LockId lock, const AddingTargets& /*targets*/) {
    acquire(lock);
    return 0;
  }
  // A right that was used before and may still be there; 0: none. Without the engine and without
  // blocking, on any stack.
  virtual std::uint64_t right_at_once(LockId) { return 0; }
  // Nothing of the section may lie on a program stack.
  [[nodiscard]] virtual AddingResult add(LockId, std::uint64_t /*right*/,
                                         const AddingSection& /*section*/) {
    return AddingResult::kTakeLock;
  }
  // The same without the engine and without blocking, on any stack: if this node's threads pass the
  // lock on among themselves, and it is free or will be within a microsecond. False: acquire() it.
  // `place`: text of the source position, or null; `site`: where the program calls.
  [[nodiscard]] virtual bool take_at_once(LockId, const void* /*place*/, const void* /*site*/) {
    return false;
  }
  // False: release() it.
  [[nodiscard]] virtual bool give_up_at_once(LockId) { return false; }
  virtual void advance(SequencerId sequencer, std::uint64_t value) = 0;
  // Returns what the count has become; what was released up to then has been acquired.
  virtual std::uint64_t await(SequencerId sequencer, std::uint64_t value) = 0;
  virtual AtomicResult atomic(const AtomicRequest& request, Ordering ordering) = 0;
  // A load by a thread that does nothing but look, again and again, until it finds something else
  // than its last load has found. May take long while it would not.
  virtual AtomicResult look(const AtomicRequest& load, Ordering ordering) {
    return atomic(load, ordering);
  }
  // An atomic update of relaxed order whose result nobody wants, and which commutes
  // (MergedAtomics::commutes). This node's threads see it at once; others when they acquire what
  // this node releases next, and anyhow soon.
  virtual void merge(const AtomicRequest& update) = 0;

  // An explicit flush: returns when this node has acquired what all threads of the job had flushed.
  // `polled`: also what threads have written that had not, as far as this one can tell.
  virtual void fence(bool polled) = 0;
  // A flush of the calling thread that others see if they call fence(). For those places where
  // threads synchronise without one of the calls above, all of which are a flush.
  virtual void note_flush() = 0;
  // The same by a fence of the program's that releases and does not acquire. What the thread stores
  // by atomic operations behind it, or behind fence(), releases, however relaxed it is.
  virtual void note_fence() { note_flush(); }

  // --- node 0 gives work to the others ---
  // Node 0: releases its writes and hands `payload` to every other node's wait_for_publication.
  virtual void publish(Bytes payload, PhaseKey next) = 0;
  // Other nodes' main thread: the next payload, or nothing when the job ends.
  virtual bool wait_for_publication(Bytes& payload) = 0;

  // --- requests beside the protocol ---
  // Runs `handler` under the node's lock for each request; what it returns is the reply (dropped
  // for a notify). It must not block, nor touch shared memory through program addresses.
  using ServiceHandler = std::function<Bytes(NodeId from, ByteView request)>;
  virtual void serve(Service service, ServiceHandler handler) = 0;
  virtual Bytes call(NodeId to, Service service, Bytes request) = 0;   // blocks for the reply
  virtual void notify(NodeId to, Service service, Bytes request) = 0;  // does not
  // As notify, of head and data, one behind the other: bulk, which control messages pass. Those of
  // one node to another arrive in order.
  virtual void notify_bulk(NodeId to, Service service, Bytes head, Bytes data) {
    head.insert(head.end(), data.begin(), data.end());
    notify(to, service, std::move(head));
  }
  // As notify, and what this node has written or acquired is acquired by `to` before its handler
  // runs. Posts of one node to another arrive in order. Handlers may notify and post.
  virtual void post(NodeId to, Service service, Bytes payload) = 0;

  // Waits, and drives the node meanwhile, until the word has another value or the time (of now_ns,
  // base/futex.hpp) has come. Who changes the word wakes those who sleep on it.
  virtual void wait_while(const std::atomic<std::uint32_t>& word, std::uint32_t value,
                          std::optional<std::int64_t> until_ns) = 0;
  // After such a change, wakes those in wait_while(word). A system call only if some thread sleeps.
  // Uses the word's address alone: whoever waited may have gone on, and the word with it.
  virtual void wake(std::atomic<std::uint32_t>& word) = 0;

  // The same until the bell has rung since `seen` was read, or it is over all the same, as is asked
  // every second.
  virtual void wait_for_ring(remote::Bell& /*bell*/, std::uint32_t /*seen*/,
                             const std::function<bool()>& /*is_over*/) {}
  // Whether processes of the two nodes may open each other's files in memory.
  [[nodiscard]] virtual bool reaches_memory_of(NodeId /*node*/) const { return false; }

  // Threads that touch shared memory and are not OpenMP's, or handlers, begin (1, told before they
  // do) or end (-1): while there are any, barriers are not for all threads of this node.
  virtual void count_outside_threads(int change) = 0;
  [[nodiscard]] virtual bool has_outside_threads() const { return false; }

  // --- node 0 by itself ---
  // True: until this thread calls leave_alone(), no thread of another node touches shared memory.
  // It does not block, nor touch anything but the program's memory meanwhile.
  [[nodiscard]] virtual bool enter_alone() { return false; }
  virtual void leave_alone() {}
  // It is to become alone at one of the next barriers: threads do not wait at variables' homes for
  // other values meanwhile.
  virtual void await_alone() {}
  // Around a region whose threads are all this node's, by node 0's main thread outside of others.
  virtual void begin_own_region() {}
  virtual void end_own_region() {}

  // --- shared memory ---
  // Where a program address is in the shared region, if it is.
  [[nodiscard]] virtual std::optional<GlobalOffset> offset_of(const void* pointer) const = 0;
  [[nodiscard]] bool is_shared(const void* pointer) const { return offset_of(pointer).has_value(); }

  // The calling thread is about to store to each byte of these pages, before it loads any, and
  // nobody else uses them meanwhile. They need not be fetched. Returns how many would have been.
  virtual std::uint64_t overwrite(PageRange /*pages*/) { return 0; }

  // The calling thread is about to use these pages: those that are not here are asked for, and
  // nobody waits. To store to them: first writes need no fault either. Returns on how many it would
  // have faulted, at least.
  virtual std::uint64_t prefetch(std::span<const PageRange> /*pages*/, MemoryUse /*use*/) {
    return 0;
  }
  // This node's threads will use these pages while they hold the lock: they are to come with it.
  virtual void expect_with(LockId /*lock*/, std::span<const PageRange> /*pages*/) {}
  // What was found here, or asked for, is so still if this has not grown since; as a hint.
  [[nodiscard]] virtual std::uint64_t access_losses() const { return 0; }
  // Waits for those of these pages that are on their way, while something comes.
  virtual void await_prefetched(PageRange /*pages*/) {}
  // Whether one of these is on its way here. For threads that look again and again.
  [[nodiscard]] virtual bool is_under_way(std::span<const PageRange> /*pages*/) { return false; }

  // Those of these pages that the program may read here now, ascending, and where this node's
  // runtime sees them. That may be read at any time; it means something while the program may read
  // the pages, and may change meanwhile.
  struct ReadablePages {
    PageRange pages;
    const std::byte* contents;
  };
  [[nodiscard]] virtual std::vector<ReadablePages> readable(PageRange /*pages*/) { return {}; }

  // Waits until these pages are here, however long that takes. Pages that nobody has used yet are
  // nowhere, and here at the first touch.
  virtual void fetch(PageRange /*pages*/) {}
  // Sends what this node has written to these pages to their homes now, as an early part of its
  // next release; it orders nothing, and nobody waits. Returns how many pages it sent.
  virtual std::uint64_t commit(std::span<const PageRange> /*pages*/) { return 0; }
  // kNoNode: this node does not know. Any thread may ask at any time.
  [[nodiscard]] virtual NodeId home_of(PageIndex /*page*/) { return self(); }

  // Bytes of memory that this node may use for what is shared (--memory); 0: no limit.
  [[nodiscard]] virtual std::uint64_t memory_limit() const { return 0; }
  // Those of these pages that may hold something else than zero (or the program's initial data).
  [[nodiscard]] virtual PageSet used_pages(PageRange pages) = 0;

  // Whether all contents of the shared region could lie on this node: they are not more than half
  // of the memory that it may use. Takes some ns for each page that is used.
  [[nodiscard]] virtual bool could_hold_everything() = 0;

  // The epoch that this node is in; any thread may ask at any time.
  [[nodiscard]] virtual Epoch epoch() const = 0;

  // Ends the whole job: prints the sentence with the node's number, exits non-zero.
  [[noreturn]] virtual void fail(const std::string& sentence) = 0;
};

// The node of this process; null until take-over is done and in one-node runs.
[[nodiscard]] Node* this_node();

}  // namespace weft
