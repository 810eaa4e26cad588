// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places in the program that say which memory a loop will use. Calls of a place that find
// everything here take time in vain, and are made less often the next times.
#pragma once

#include <x86intrin.h>

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace weft {

// How a place in the program fares. Calls that find everything here take a thirtieth of the time at
// most, and less and less if they go on so, be they many, from an inner loop, or few. Those that
// say the same again take a thirtieth. Of two places that share an entry either may be left out for
// the other: it costs faults.
class PrefetchSite {
 public:
  static PrefetchSite& at(std::uintptr_t place);

  // Of the clock that takes least to read: some calls are left out in inner loops.
  using Ticks = std::int64_t;
  static Ticks now() { return static_cast<Ticks>(__rdtsc()); }

  [[nodiscard]] bool is_left_out(Ticks now) const {
    return now < until_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] Ticks left_out_until() const { return until_.load(std::memory_order_relaxed); }
  void leave_out_until(Ticks until) { until_.store(until, std::memory_order_relaxed); }

  // Such calls take the same time, and the next one may say something else.
  void note_repetition(Ticks began) {
    const Ticks end = now();
    leave_out_until(end + (kTimesAsLong * std::min(end - began, kLongestCall)));
  }
  void note_outcome(bool was_of_use, Ticks began) {
    if (was_of_use) return in_vain_.store(0, std::memory_order_relaxed);
    const Ticks end = now();
    leave_out(std::min(end - began, kLongestCall), end);
  }
  // Of a call whose time is compared with the time that it saves. Of some calls (`is_investment`)
  // the next ones make use, too: a few in a row may take longer than they save.
  void note_balance(Ticks saved, Ticks took, bool is_investment) {
    constexpr std::uint32_t kMostInvestments = 3;
    constexpr Ticks kLongest = 200'000'000;
    if (saved >= took) {
      in_vain_.store(0, std::memory_order_relaxed);
      return investments_.store(0, std::memory_order_relaxed);
    }
    if (is_investment &&
        investments_.fetch_add(1, std::memory_order_relaxed) + 1 < kMostInvestments) {
      return;
    }
    leave_out(std::min(took, kLongest), now());
  }

 private:
  static constexpr Ticks kTimesAsLong = 30;
  static constexpr Ticks kLongestCall = 200'000;  // whoever took longer was held up

  // For so long that calls which take that long do not matter.
  void leave_out(Ticks took, Ticks end) {
    constexpr std::uint32_t kMostInVain = 5;
    const std::uint32_t in_vain = in_vain_.load(std::memory_order_relaxed);
    leave_out_until(end + ((kTimesAsLong * took) << in_vain));
    in_vain_.store(std::min(in_vain + 1, kMostInVain), std::memory_order_relaxed);
  }

  std::atomic<Ticks> until_ = 0;
  std::atomic<std::uint32_t> in_vain_ = 0;      // in a row
  std::atomic<std::uint32_t> investments_ = 0;  // in a row
};

}  // namespace weft
