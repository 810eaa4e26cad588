// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lets threads sleep until messages have been handled. Only if some do, handling a message costs a
// system call.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/futex.hpp"

namespace weft {

class Progress {
 public:
  [[nodiscard]] std::uint32_t seen() const { return count_.load(std::memory_order_acquire); }
  // Messages have been handled.
  void note() {
    count_.fetch_add(1, std::memory_order_seq_cst);
    if (sleepers_.load(std::memory_order_seq_cst) > 0) futex_wake_all(count_);
  }
  // Blocks until note() was called since `seen` was read, or for a second.
  void sleep(std::uint32_t seen) {
    sleepers_.fetch_add(1, std::memory_order_seq_cst);
    if (count_.load(std::memory_order_seq_cst) == seen) futex_wait(count_, seen);
    sleepers_.fetch_sub(1, std::memory_order_seq_cst);
  }

 private:
  std::atomic<std::uint32_t> count_{0};
  std::atomic<std::uint32_t> sleepers_{0};
};

}  // namespace weft
