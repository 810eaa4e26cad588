// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Holding the program's signals back. Its handlers may touch any shared variable, plain or atomic,
// and so come to anything that a message makes this node do: they must not run while the thread
// that they interrupt has something that this may need. That is a lock of Weft's
// (signal_safe_mutex.hpp) or of the C library's heap (libc/interposition/real_allocation.hpp).
// Whoever takes one holds signals back, by a count of the thread's own, without a system call; what
// comes meanwhile is noted, and delivered when the count is zero again (libc/signals/signals.hpp).
#pragma once

#include <atomic>

namespace weft {

// In libraries that are there from the process's start: no call is needed to find them.
#define WEFT_EARLY_THREAD_LOCAL constinit thread_local __attribute__((tls_model("initial-exec")))
inline WEFT_EARLY_THREAD_LOCAL volatile int signals_held = 0;
inline WEFT_EARLY_THREAD_LOCAL volatile bool signals_waiting = false;
#undef WEFT_EARLY_THREAD_LOCAL

// Sends the calling thread what it has held back. Null until the program has a handler.
inline constinit std::atomic<void (*)()> deliver_held_signals = nullptr;

// For as long as it lives, handlers of the program do not run on the calling thread.
class SignalsHeld {
 public:
  SignalsHeld() { hold(); }
  ~SignalsHeld() { release(); }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

  static void hold() {
    signals_held = signals_held + 1;
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  static void release() {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    const int left = signals_held - 1;
    signals_held = left;
    if (left == 0 && signals_waiting) [[unlikely]]
      deliver_held_signals.load(std::memory_order_relaxed)();
  }
};

// For a thread that goes back to the program from where signals may have had to wait.
inline void deliver_waiting_signals() {
  if (signals_waiting) [[unlikely]] {
    SignalsHeld::hold();
    SignalsHeld::release();
  }
}

}  // namespace weft
