// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The barrier of one node's threads. The last thread to arrive is told so and decides what the
// others do; meanwhile it may do what the whole node is to do once. Waiting threads work if there
// is something to do, else spin for a moment, then offer their processor to others, then sleep:
// whoever they wait for may be a thread of another node on the same processor.
//
//   arrive() ─┬─ not the last ── wait, working ──────────────────┬─► what release() said
//             └─ the last ─► Verdict::kDecide ─► release(...) ───┘
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/board/board.hpp"
#include "runtime/waiting/patience.hpp"

namespace weft::openmp {

class LocalBarrier {
 public:
  enum class Verdict : std::uint32_t {
    kDecide,  // the caller is the last; the others wait until it calls release()
    kPass,    // go on
    kAgain,   // something remains to be done by all, and then they arrive once more
  };

  explicit LocalBarrier(unsigned threads) : threads_(threads) {}

  // Blocks until all threads have arrived and the last has released them. `work` does one piece of
  // work and returns whether there was any.
  template <typename Work>
  Verdict arrive(Work&& work) {
    const std::uint32_t round = round_.load(std::memory_order_relaxed);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_) {
      arrived_.store(0, std::memory_order_relaxed);
      return Verdict::kDecide;
    }
    wait(round, work);
    return verdict_;
  }

  // By the thread that was told to decide.
  void release(Verdict verdict);

  // Has threads that sleep here look for work again.
  void wake();

 private:
  template <typename Work>
  void wait(std::uint32_t round, Work& work) {
    const board::Waiting waiting(board::WaitKind::kBarrier);
    Patience patience(kWaitingForNeighbours);
    for (;;) {
      const std::uint32_t seen = signal_.load(std::memory_order_seq_cst);
      if (is_released(round)) return;
      if (work()) {
        patience.renew();
        continue;
      }
      patience.count_turn();
      if (!patience.lasts()) sleep(seen);
    }
  }

  [[nodiscard]] bool is_released(std::uint32_t round) const {
    return round_.load(std::memory_order_acquire) != round;
  }
  void sleep(std::uint32_t seen);

  const unsigned threads_;
  std::atomic<unsigned> arrived_{0};
  std::atomic<std::uint32_t> round_{0};
  std::atomic<std::uint32_t> signal_{0};  // changes with each release and each wake
  std::atomic<std::uint32_t> sleepers_{0};
  Verdict verdict_ = Verdict::kPass;  // of the last round; guarded by round_
};

}  // namespace weft::openmp
