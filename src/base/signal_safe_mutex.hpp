// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The mutex of all code that program threads execute. A signal handler of the program interrupts
// any thread, and its accesses to shared memory may have this node handle any message: so a thread
// that has such a mutex, or waits for one, holds its signals back. With a std::mutex the handler
// would wait for the very thread that it has interrupted (tools/tidy looks for those).
//
// Its word is its own: pthread_mutex_lock in the node library is the one that Weft gives the
// program, which would first ask whether the mutex is in shared memory.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "base/futex.hpp"
#include "base/held_signals.hpp"

namespace weft {

class SignalSafeMutex {
 public:
  void lock() {
    SignalsHeld::hold();
    if (!take(kFree, kTaken)) wait();
  }
  [[nodiscard]] bool try_lock() {
    SignalsHeld::hold();
    if (take(kFree, kTaken)) return true;
    SignalsHeld::release();
    return false;
  }
  void unlock() {
    if (word_.exchange(kFree, std::memory_order_release) == kAwaited) futex_wake_one(word_);
    SignalsHeld::release();
  }

 private:
  static constexpr std::uint32_t kFree = 0, kTaken = 1, kAwaited = 2;

  bool take(std::uint32_t from, std::uint32_t to) {
    return word_.compare_exchange_strong(from, to, std::memory_order_acquire,
                                         std::memory_order_relaxed);
  }
  // Who has slept cannot know whether others sleep, so it takes the lock as awaited.
  void wait() {
    while (word_.exchange(kAwaited, std::memory_order_acquire) != kFree) {
      futex_wait(word_, kAwaited);
    }
  }

  std::atomic<std::uint32_t> word_{kFree};
};

}  // namespace weft
