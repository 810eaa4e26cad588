// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "openmp/team/local_barrier.hpp"

#include "base/futex.hpp"

namespace weft::openmp {
void LocalBarrier::release(Verdict verdict) {
  verdict_ = verdict;
  round_.fetch_add(1, std::memory_order_release);
  wake();
}

// A sleeper counts itself before it compares the signal in the kernel: either it is seen here, or
// it sees that the signal has changed.
void LocalBarrier::wake() {
  signal_.fetch_add(1, std::memory_order_seq_cst);
  if (sleepers_.load(std::memory_order_seq_cst) > 0) futex_wake_all(signal_);
}

void LocalBarrier::sleep(std::uint32_t seen) {
  board::note_sleep();
  sleepers_.fetch_add(1, std::memory_order_seq_cst);
  futex_wait(signal_, seen);
  sleepers_.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace weft::openmp
