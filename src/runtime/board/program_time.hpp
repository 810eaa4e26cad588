// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long each thread has not run the program: it waited in Weft, or Weft served a page fault of
// it. The rest of its time is the program's. Read by the choices where regions run
// (openmp/placement) and where the program's own threads do (pthread/gathering); where these are
// not open, nothing is measured.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>

#include "base/futex.hpp"

namespace weft::board {

// Of one wait: what is longer has been a wait for another thread, which would be as long in one
// process, but for a hand-over.
inline constexpr std::int64_t kLongestLoss = 200'000;
// Of the program between two waits. In a longer one the thread may have waited for a processor.
inline constexpr std::int64_t kLongestStretch = 200'000;

namespace detail {
inline std::atomic<bool> measures_time{false};
// Of the calling thread: how many of these are alive, since when, and the sum until then.
inline constinit thread_local unsigned away_depth = 0;
inline constinit thread_local std::int64_t away_since_ns = 0, away_sum_ns = 0, lost_sum_ns = 0;
// Since when it has been back, and the sum of the stretches until then.
inline constinit thread_local std::int64_t back_since_ns = 0, stretches_sum_ns = 0;

inline void begin_away() {
  away_since_ns = now_ns();
  if (back_since_ns == 0) return;
  stretches_sum_ns += std::min(away_since_ns - back_since_ns, kLongestStretch);
}
inline void end_away() {
  back_since_ns = now_ns();
  const std::int64_t length = back_since_ns - std::exchange(away_since_ns, 0);
  away_sum_ns += length;
  lost_sum_ns += std::min(length, kLongestLoss);
}
}  // namespace detail

// From now on, for good.
inline void measure_time() { detail::measures_time.store(true, std::memory_order_relaxed); }
[[nodiscard]] inline bool is_time_measured() {
  return detail::measures_time.load(std::memory_order_relaxed);
}

// The calling thread is away from the program for as long as this lives. One inside another adds
// nothing.
class Away {
 public:
  Away() {
    if (detail::away_depth++ == 0 && is_time_measured()) detail::begin_away();
  }
  ~Away() {
    if (--detail::away_depth != 0 || detail::away_since_ns == 0) return;
    detail::end_away();
  }
  Away(const Away&) = delete;
  Away& operator=(const Away&) = delete;
};

// It runs the program all the same: a task, or a signal's handler, in the middle of a wait.
class Back {
 public:
  Back() : depth_(std::exchange(detail::away_depth, 0)) {
    if (detail::away_since_ns != 0) detail::end_away();
  }
  ~Back() {
    detail::away_depth = depth_;
    if (depth_ > 0 && is_time_measured()) detail::begin_away();
  }
  Back(const Back&) = delete;
  Back& operator=(const Back&) = delete;

 private:
  const unsigned depth_;
};

// How long the calling thread has been away in all, outside of the present Away.
[[nodiscard]] inline std::int64_t away_ns() { return detail::away_sum_ns; }
// How much of that it would not have been in one process, as far as its waits' lengths tell.
[[nodiscard]] inline std::int64_t lost_ns() { return detail::lost_sum_ns; }
// How long it has run the program at least: no stretch counts for more than kLongestStretch.
[[nodiscard]] inline std::int64_t stretches_ns() { return detail::stretches_sum_ns; }

}  // namespace weft::board
