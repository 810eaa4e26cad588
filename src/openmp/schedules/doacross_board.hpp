// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the threads of this node have posted of doacross loops, and who waits for more of it. A
// number for each thread, which only grows. Posting is a store and a load unless somebody waits.
//
// Nothing is lost: who asks registers first and looks at the number then, who posts stores the
// number first and looks for registered ones then. Pure.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "base/ids.hpp"
#include "base/signal_safe_mutex.hpp"

namespace weft::openmp {

class DoacrossBoard {
 public:
  // A node that wants to hear of a number when it has come to `value`.
  struct Ask {
    NodeId node;
    std::uint64_t value = 0;
  };

  explicit DoacrossBoard(unsigned threads);

  [[nodiscard]] std::uint64_t posted(unsigned thread) const {
    return slots_[thread].posted.load(std::memory_order_acquire);
  }

  // By the thread itself. True if somebody waits for that: take() says who.
  [[nodiscard]] bool post(unsigned thread, std::uint64_t value) {
    slots_[thread].posted.store(value, std::memory_order_seq_cst);
    return slots_[thread].wanted.load(std::memory_order_seq_cst) <= value;
  }

  // True if the number is there; else the ask is kept until take() gives it back.
  [[nodiscard]] bool ask(unsigned thread, const Ask& ask);

  // Those whose number has come.
  [[nodiscard]] std::vector<Ask> take(unsigned thread);

 private:
  struct alignas(64) Slot {
    std::atomic<std::uint64_t> posted{0};
    std::atomic<std::uint64_t> wanted{UINT64_MAX};  // the least that is asked for
    std::vector<Ask> asks;                          // guarded by lock_
  };

  static void note_least(Slot& slot);

  SignalSafeMutex lock_;
  const std::unique_ptr<Slot[]> slots_;
};

}  // namespace weft::openmp
