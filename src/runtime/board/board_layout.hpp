// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a node shows of itself while it runs: a file in memory that the node maps writable, and who
// has started it reads (snapshot.hpp). The node writes plain stores; the reader never makes it
// wait. Numbers alone, of fixed sizes: reader and node are of one version of Weft, and the header
// says so.
//
//   BoardHeader   version, state, memory, messages, counters
//   ThreadSlot    one for each thread that has waited in Weft, or has a number in a team
//
// The program can scribble here as anywhere in its process. So a reader believes nothing: numbers
// that make no sense are left out.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "protocol/interface/counters.hpp"

namespace weft::board {

inline constexpr std::uint64_t kMagic = 0x6472'616f'6274'6677;  // "wftboard"
inline constexpr std::uint32_t kVersion = 1;
inline constexpr std::size_t kMostThreads = 1024;  // with a slot; others are counted
inline constexpr std::size_t kMostHeld = 16;       // locks of a thread that are named
inline constexpr std::size_t kMostCounters = 120;
inline constexpr std::size_t kCounterCount = sizeof(EngineCounters) / sizeof(std::uint64_t);
static_assert(kCounterCount <= kMostCounters);

enum class NodeState : std::uint32_t { kStarting, kComputing, kEnding };
inline constexpr std::size_t kNodeStateCount = 3;

// What a thread waits for. `object` of its slot is, where one is said:
enum class WaitKind : std::uint32_t {
  kNone,
  kBarrier,    // OpenMP's, also at a region's end
  kLock,       // the lock's number (base/locks/lock_ids.hpp), also of critical regions and mutexes
  kOrdered,    // the iteration whose turn it is to be
  kTaskwait,   // for tasks: taskwait, taskgroup, tasks before a barrier
  kDoacross,   // the iteration that is to be done
  kSingle,     // the answer who executes a single region
  kReduction,  // the parts of the nodes below this one
  kRegion,     // the next parallel region, or the program's end
  kCondition,  // address of a condition variable
  kSemaphore,  // address of a semaphore
  kRwLock,     // address of a read-write lock
  kBarrierObject,  // address of a pthread_barrier_t
  kFutex,          // address of the word
  kThread,         // pthread_t of the thread that is to end
  kPageFault,      // number of the page
  kAtomic,         // an atomic operation elsewhere
  kFlush,          // a flush of all nodes
  kOtherNode,      // the node that is to answer a request
  kOther,          // something else in Weft
};
inline constexpr std::size_t kWaitKindCount = 20;
// "a barrier", "a lock", ...
[[nodiscard]] std::string_view name_of(WaitKind kind);

// In place of a number in the team.
inline constexpr std::int32_t kNoNumber = -1;
inline constexpr std::int32_t kBetweenRegions = -2;  // OpenMP's, and has had one

struct HeldSlot {
  std::atomic<std::uint64_t> lock;   // its number
  std::atomic<std::uint64_t> place;  // where it was taken, as ThreadSlot::place
  std::atomic<std::uint64_t> address;
};

// Written by its thread alone. `progress` counts waits: odd while the thread waits. What it waits
// for changes only while it is even. So what is read between two equal odd values belongs together.
struct ThreadSlot {
  std::atomic<std::uint64_t> progress;
  std::atomic<std::uint32_t> thread;  // the kernel's number; 0: nobody has the slot
  std::atomic<std::int32_t> number;   // in the OpenMP team that spans the nodes; else as below
  std::atomic<std::uint32_t> kind;    // WaitKind; also before the wait begins
  std::atomic<std::uint32_t> ends_by_itself;  // the wait: a time is set for it
  std::atomic<std::uint64_t> object;
  std::atomic<std::uint64_t> place;     // address of a text ";file;function;line;column;;", or 0
  std::atomic<std::uint64_t> address;   // in the program: the return address of the call, or 0
  std::atomic<std::int64_t> asleep_ns;  // CLOCK_MONOTONIC: since when it sleeps; 0: it does not
  std::atomic<std::uint32_t> held_count;
  std::atomic<std::uint32_t> is_wefts_own;  // it serves the others: not 0
  HeldSlot held[kMostHeld];
};
static_assert(sizeof(ThreadSlot) % 64 == 0);

struct BoardHeader {
  std::atomic<std::uint64_t> magic;
  std::atomic<std::uint32_t> version, bytes;  // bytes: of the whole board
  std::atomic<std::uint32_t> node, state;     // state: NodeState
  std::atomic<std::uint32_t> process;         // the kernel's number
  std::atomic<std::uint32_t> slots_wanted;    // threads that found no slot
  std::atomic<std::uint32_t> slots_used;      // those behind have never been
  std::atomic<std::uint32_t> epoch;
  std::atomic<std::uint32_t> counter_count;
  std::atomic<std::int64_t> looked_ns;      // CLOCK_MONOTONIC: when what follows was written last
  std::atomic<std::uint64_t> memory_bytes;  // resident: region, twins
  // Messages, at once: what all nodes have sent and nobody has received is under way.
  std::atomic<std::uint64_t> sent, received;
  std::atomic<std::uint64_t> bytes_sent;
  std::atomic<std::uint64_t> counters[kMostCounters];  // in the order of engine_counters()
};

struct alignas(64) Board {
  BoardHeader header;
  alignas(64) ThreadSlot threads[kMostThreads];
};

static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

}  // namespace weft::board
