// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lock under which all work on a node's engine is done. A signal handler of the program may
// touch a missing page, whose fault takes this lock: so the thread that has it holds its signals
// back.
//
// Its word is its own: pthread_mutex_lock in this library is the one that Weft gives the program,
// which would first ask whether the mutex is in shared memory, in each turn of a thread that polls.
#pragma once

#include <atomic>
#include <cstdint>

#include "libc/signals.hpp"
#include "runtime/futex.hpp"

namespace weft {

class NodeLock {
 public:
  void lock() {
    libc::hold_signals();
    if (!take(kFree, kTaken)) wait();
  }
  bool try_lock() {
    libc::hold_signals();
    if (take(kFree, kTaken)) return true;
    libc::release_signals();
    return false;
  }
  void unlock() {
    if (word_.exchange(kFree, std::memory_order_release) == kAwaited) futex_wake_one(word_);
    libc::release_signals();
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
