// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Holding cancellation back. A thread that is to end (pthread_cancel) does so in the next call of
// the C library that may wait. That may be one of Weft's or of UCX's: with their locks held, and
// in a frame from which nothing can be unwound. So where a thread may come to such calls, it does
// not let itself be cancelled. (With signals it is alike: held_signals.hpp.)
#pragma once

#include <pthread.h>

#include <atomic>

#include "base/signal_safe_mutex.hpp"

namespace weft {

// Whether the program may cancel threads. Most never do, and pay nothing.
inline constinit std::atomic<bool> program_cancels = false;

// Returns the calling thread's state before, for the other call; or that nothing was done.
inline constexpr int kNotHeld = -1;
inline int hold_cancellation() {
  int before = kNotHeld;
  if (program_cancels.load(std::memory_order_relaxed)) [[unlikely]]
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
  return before;
}
inline void let_in_cancellation(int before) {
  int unused;
  if (before != kNotHeld) [[unlikely]]
    pthread_setcancelstate(before, &unused);
}

class CancellationHeld {
 public:
  CancellationHeld() = default;
  ~CancellationHeld() { let_in_cancellation(before_); }
  CancellationHeld(const CancellationHeld&) = delete;
  CancellationHeld& operator=(const CancellationHeld&) = delete;

 private:
  const int before_ = hold_cancellation();
};

// A lock under which a node uses its transport: who has it is not cancelled.
class UncancelledMutex {
 public:
  void lock() {
    const int before = hold_cancellation();
    mutex_.lock();
    before_ = before;
  }
  [[nodiscard]] bool try_lock() {
    const int before = hold_cancellation();
    if (mutex_.try_lock()) {
      before_ = before;
      return true;
    }
    let_in_cancellation(before);
    return false;
  }
  void unlock() {
    const int before = before_;
    mutex_.unlock();
    let_in_cancellation(before);
  }

 private:
  SignalSafeMutex mutex_;
  int before_ = kNotHeld;  // of who has it
};

}  // namespace weft
