// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This node's board, and what its threads write there. A call that may wait says first what for
// (Purpose: some stores to memory of the thread's own), and the place that then does wait says that
// it does (Waiting). A place that waits without a purpose names one itself.
//
//   __kmpc_critical          Purpose(kLock, ...)
//   └ Driver::acquire
//     └ wait_until_done      Waiting: only if the lock is not there at once
//
// Everything here works at any time, also before take() and in a forked child: the stores then go
// to memory that nobody reads.
#pragma once

#include "runtime/board/board_layout.hpp"
#include "runtime/board/program_time.hpp"

namespace weft::board {

inline constexpr auto kRelaxed = std::memory_order_relaxed;

// Maps the board that the launcher has made, and closes its descriptor; memory of this process
// where there is none (-1). Once, before there are other threads.
void take(int descriptor, unsigned node);
// The child of a fork must not write to its parent's board.
void leave();

[[nodiscard]] Board& this_board();
void set_state(NodeState state);

namespace detail {
extern constinit thread_local ThreadSlot* slot;
[[nodiscard]] ThreadSlot& claim_slot();
}  // namespace detail

// The calling thread's.
[[nodiscard]] inline ThreadSlot& this_thread() {
  return detail::slot != nullptr ? *detail::slot : detail::claim_slot();
}
// Whether it has written here.
[[nodiscard]] inline bool has_slot() { return detail::slot != nullptr; }
// The thread ends. Not needed for a slot to be used again, but sooner.
void leave_thread();

[[nodiscard]] inline bool is_odd(std::uint64_t progress) { return (progress & 1) != 0; }

// What the calling thread waits for until this ends, if it waits. One inside another counts.
class Purpose {
 public:
  // `place`: text of a source position, or null; `address`: the caller's in the program, or null.
  Purpose(WaitKind kind, std::uint64_t object, const void* place = nullptr,
          const void* address = nullptr)
      : slot_(this_thread()),
        kind_(slot_.kind.load(kRelaxed)),
        object_(slot_.object.load(kRelaxed)),
        place_(slot_.place.load(kRelaxed)),
        address_(slot_.address.load(kRelaxed)) {
    if (is_odd(slot_.progress.load(kRelaxed))) return;
    const auto number = [](const void* pointer) {
      return reinterpret_cast<std::uintptr_t>(pointer);
    };
    set(static_cast<std::uint32_t>(kind), object, place == nullptr ? place_ : number(place),
        address == nullptr ? address_ : number(address));
  }
  ~Purpose() {
    if (!is_odd(slot_.progress.load(kRelaxed))) set(kind_, object_, place_, address_);
  }
  Purpose(const Purpose&) = delete;
  Purpose& operator=(const Purpose&) = delete;

 private:
  void set(std::uint32_t kind, std::uint64_t object, std::uint64_t place, std::uint64_t address) {
    slot_.kind.store(kind, kRelaxed);
    slot_.object.store(object, kRelaxed);
    slot_.place.store(place, kRelaxed);
    slot_.address.store(address, kRelaxed);
  }

  ThreadSlot& slot_;
  const std::uint32_t kind_;
  const std::uint64_t object_, place_, address_;
};

// The calling thread waits, in whatever way, for as long as this lives; one inside another says
// nothing.
class Waiting {
 public:
  // `otherwise`, `object`: where no purpose was said.
  explicit Waiting(WaitKind otherwise, std::uint64_t object = 0, bool ends_by_itself = false)
      : slot_(this_thread()), is_inner_(is_odd(slot_.progress.load(kRelaxed))) {
    if (is_inner_) return;
    has_no_purpose_ = slot_.kind.load(kRelaxed) == static_cast<std::uint32_t>(WaitKind::kNone);
    if (has_no_purpose_) {
      slot_.kind.store(static_cast<std::uint32_t>(otherwise), kRelaxed);
      slot_.object.store(object, kRelaxed);
    }
    slot_.ends_by_itself.store(ends_by_itself ? 1 : 0, kRelaxed);
    slot_.asleep_ns.store(0, kRelaxed);
    turn();
  }
  ~Waiting() {
    if (is_inner_) return;
    turn();
    if (has_no_purpose_) {
      slot_.kind.store(static_cast<std::uint32_t>(WaitKind::kNone), kRelaxed);
    }
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  void turn() {
    slot_.progress.store(slot_.progress.load(kRelaxed) + 1, std::memory_order_release);
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }

  const Away away_;
  ThreadSlot& slot_;
  const bool is_inner_;
  bool has_no_purpose_ = false;
};

// The thread goes from waiting awake to sleep; it may say so again and again.
void note_sleep();

// A thread that waits does something else for the program meanwhile: a task, a signal's handler.
class Working {
 public:
  Working();
  ~Working();
  Working(const Working&) = delete;
  Working& operator=(const Working&) = delete;

 private:
  const Back back_;
  ThreadSlot& slot_;
  const bool was_waiting_;
  std::uint64_t kind_ = 0, object_ = 0, place_ = 0, address_ = 0;
  std::uint32_t ends_by_itself_ = 0;
};

namespace detail {
void forget_older(ThreadSlot& mine, std::uint64_t lock);

inline void note_held(ThreadSlot& mine, std::uint64_t lock, std::uint64_t place,
                      std::uint64_t address) {
  const std::uint32_t count = mine.held_count.load(kRelaxed);
  if (count < kMostHeld) {
    mine.held[count].lock.store(lock, kRelaxed);
    mine.held[count].place.store(place, kRelaxed);
    mine.held[count].address.store(address, kRelaxed);
  }
  mine.held_count.store(count + 1, std::memory_order_release);
}
}  // namespace detail

// The calling thread has taken, or gives up, the lock of this number; where: at its present
// purpose, or at these (see Purpose). Programs take millions of them: a few stores.
inline void note_taken(std::uint64_t lock) {
  ThreadSlot& mine = this_thread();
  detail::note_held(mine, lock, mine.place.load(kRelaxed), mine.address.load(kRelaxed));
}
inline void note_taken(std::uint64_t lock, const void* place, const void* address) {
  detail::note_held(this_thread(), lock, reinterpret_cast<std::uintptr_t>(place),
                    reinterpret_cast<std::uintptr_t>(address));
}
inline void note_given_up(std::uint64_t lock) {
  ThreadSlot& mine = this_thread();
  const std::uint32_t newest = mine.held_count.load(kRelaxed) - 1;  // none: beyond all
  if (newest < kMostHeld && mine.held[newest].lock.load(kRelaxed) == lock) {
    mine.held_count.store(newest, std::memory_order_release);
  } else {
    detail::forget_older(mine, lock);
  }
}

// Messages that this node hands to its transport, and takes from it. By one thread at a time.
inline void note_sent(std::size_t bytes) {
  BoardHeader& header = this_board().header;
  header.sent.store(header.sent.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  header.bytes_sent.store(header.bytes_sent.load(std::memory_order_relaxed) + bytes,
                          std::memory_order_relaxed);
}
inline void note_received() {
  std::atomic<std::uint64_t>& received = this_board().header.received;
  received.store(received.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

// What is worth a look now and then.
void show(const EngineCounters& counters, std::uint32_t epoch, std::uint64_t memory_bytes);

// All threads that there are, but the caller and the initial one, serve the others: to be called
// before the program runs.
void note_own_threads();

// It is thread `number` of the team that spans the nodes, or kBetweenRegions.
inline void set_number(std::int32_t number) {
  this_thread().number.store(number, std::memory_order_relaxed);
}

}  // namespace weft::board
