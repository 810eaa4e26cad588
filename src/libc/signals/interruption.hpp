// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Waits of Weft's own that a signal's handler ends, as POSIX asks of sem_wait: of a signal whose
// action has no SA_RESTART. The handler interrupts the waiting thread and changes its word.
#pragma once

#include <atomic>
#include <cstdint>

namespace weft::libc {

inline constexpr std::uint32_t kWordOfInterrupted = UINT32_MAX - 1;

inline constinit thread_local std::atomic<std::uint32_t>* interruptible_word = nullptr;

// While it lives, such a handler changes the word from 0 to kWordOfInterrupted.
class Interruptible {
 public:
  explicit Interruptible(std::atomic<std::uint32_t>& word) { interruptible_word = &word; }
  ~Interruptible() { interruptible_word = nullptr; }
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;
};

// A handler has been called on this thread.
inline void interrupt_wait() {
  std::uint32_t waiting = 0;
  if (interruptible_word != nullptr)
    interruptible_word->compare_exchange_strong(waiting, kWordOfInterrupted);
}

}  // namespace weft::libc
