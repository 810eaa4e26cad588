// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the calling thread has computed, and lost to other nodes, since it was asked last.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/futex.hpp"
#include "runtime/board/program_time.hpp"

namespace weft::pthread {

struct TimeSpent {
  std::int64_t computed = 0, lost = 0;  // nanoseconds
  [[nodiscard]] bool has_lost_a_tenth() const { return 9 * lost > computed; }
};

// One for each thread and node.
class OwnTime {
 public:
  // At each point of the thread; now and then there is an answer, `pause_ns` after the last one at
  // the earliest.
  [[nodiscard]] std::optional<TimeSpent> pass_point(std::int64_t pause_ns) {
    if (++points_ % kPointsForALook != 0) return std::nullopt;
    const std::int64_t now = now_ns();
    if (begin_ == 0) return begin(now), std::nullopt;
    if (now - begin_ < pause_ns) return std::nullopt;
    const std::int64_t away = board::away_ns() - away_, lost = board::lost_ns() - lost_;
    const TimeSpent spent{.computed = std::max<std::int64_t>(0, now - begin_ - away), .lost = lost};
    begin(now);
    return spent;
  }

 private:
  static constexpr unsigned kPointsForALook = 8;  // at the clock

  void begin(std::int64_t now) {
    begin_ = now;
    away_ = board::away_ns();
    lost_ = board::lost_ns();
  }

  unsigned points_ = 0;
  std::int64_t begin_ = 0, away_ = 0, lost_ = 0;
};

}  // namespace weft::pthread
