// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether others have use for the processor of a thread that waits awake.
//
// Such a thread offers its processor at every turn, for whoever it waits for may be a thread of
// this job. That is as good as waiting asleep while the processor comes back soon. Where it goes
// to somebody who computes, each offer costs the rest of a time slice, and on Linux since 6.18 the
// claim to as much in the next: milliseconds, in which what the thread waits for has long come. A
// sleeper is woken in a small part of that. So an offer that took long says that waiting threads
// should sleep for a time, until another offer may be risked: a short time at first, as somebody
// may have come by, and twice as long whenever the next offers take long as well.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace weft {

class Crowding {
 public:
  // Much longer than another waiting thread keeps a processor, or than waking a thread takes.
  static constexpr std::int64_t kLongOffer = 300'000;  // ns
  // Threads sleep for so many times as long as the offer took: at first, and at most. On an always
  // crowded machine, offers take the latter part of the time.
  static constexpr std::int64_t kFirstShare = 2, kLargestShare = 64;

  // The processor was offered for so long, until now. (Of two threads that note at once, one
  // counts.)
  void note_offer(std::int64_t took_ns, std::int64_t now_ns) {
    if (took_ns < kLongOffer) return;
    const std::int64_t was_free_ns = now_ns - took_ns - until_ns_.load(std::memory_order_relaxed);
    const bool is_alone = was_free_ns > slept_ns_.load(std::memory_order_relaxed);
    const std::int64_t last_share = share_.load(std::memory_order_relaxed);
    const std::int64_t share = is_alone ? kFirstShare : std::min(2 * last_share, kLargestShare);
    share_.store(share, std::memory_order_relaxed);
    slept_ns_.store(share * took_ns, std::memory_order_relaxed);
    until_ns_.store(now_ns + share * took_ns, std::memory_order_relaxed);
  }
  // Waiting threads should sleep.
  [[nodiscard]] bool is_crowded(std::int64_t now_ns) const {
    return now_ns < until_ns_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<std::int64_t> until_ns_{0};          // threads are to sleep
  std::atomic<std::int64_t> slept_ns_{INT64_MIN};  // for so long, the last time; they never have
  std::atomic<std::int64_t> share_{kFirstShare};   // of the last offer
};

// What this process has seen.
[[nodiscard]] Crowding& crowding();

// Offers the processor, and notes how long that took.
void offer_processor();

}  // namespace weft
