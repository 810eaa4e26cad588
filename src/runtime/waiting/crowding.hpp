// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether others have use for the processor of a thread that waits awake.
//
// Such a thread offers its processor at every turn, for whoever it waits for may be a thread of
// this job. That is as good as waiting asleep while the processor comes back soon. Where it goes
// to somebody who computes, each offer costs the rest of a time slice, and on Linux since 6.18 the
// claim to as much in the next: milliseconds, in which what the thread waits for has long come. A
// sleeper is woken in a small part of that. So an offer that took long says that waiting threads
// should sleep for a time, until another offer may be risked.
#pragma once

#include <atomic>
#include <cstdint>

namespace weft {

class Crowding {
 public:
  // Much longer than another waiting thread keeps a processor, or than waking a thread takes.
  static constexpr std::int64_t kLongOffer = 300'000;  // ns
  // What offers may take of the time, on an always crowded machine: one part in so many.
  static constexpr std::int64_t kShareOfTime = 50;

  // The processor was offered for so long, until now.
  void note_offer(std::int64_t took_ns, std::int64_t now_ns) {
    if (took_ns < kLongOffer) return;
    until_ns_.store(now_ns + took_ns * kShareOfTime, std::memory_order_relaxed);
  }
  // Waiting threads should sleep.
  [[nodiscard]] bool is_crowded(std::int64_t now_ns) const {
    return now_ns < until_ns_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<std::int64_t> until_ns_{0};
};

// What this process has seen.
[[nodiscard]] Crowding& crowding();

// Offers the processor, and notes how long that took.
void offer_processor();

}  // namespace weft
