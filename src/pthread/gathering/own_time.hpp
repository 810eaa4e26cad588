// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the calling thread has computed, and lost to other nodes, since it was asked last.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/futex.hpp"
#include "runtime/board/program_time.hpp"
#include "runtime/interface/processor_time.hpp"

namespace weft::pthread {

struct TimeSpent {
  std::int64_t computed = 0, lost = 0;  // nanoseconds
  [[nodiscard]] bool has_lost_a_tenth() const { return 9 * lost > computed; }
};

// Of a thread that was not away for so long, on a processor for `on_processor`, with what Weft did
// for it there: how much the program has computed. With more threads than processors the rest is
// time in which others ran. No more of what Weft did is known than that it took up to all of
// `lost`.
inline std::int64_t computed_of(std::int64_t not_away, std::int64_t on_processor, std::int64_t lost,
                                std::int64_t stretches) {
  if (on_processor >= not_away) return not_away;
  return std::clamp(on_processor - lost, std::min(stretches, not_away), not_away);
}

// One for each thread and node.
class OwnTime {
 public:
  // At each point of the thread; now and then there is an answer, `pause_ns` after the last one at
  // the earliest.
  [[nodiscard]] std::optional<TimeSpent> pass_point(std::int64_t pause_ns) {
    if (++points_ % kPointsForALook != 0) return std::nullopt;
    const std::int64_t now = now_ns();
    if (last_.now != 0 && now - last_.now < pause_ns) return std::nullopt;
    const Look last = std::exchange(last_, look_at(now));
    if (last.now == 0) return std::nullopt;
    return between(last, last_);
  }

 private:
  static constexpr unsigned kPointsForALook = 8;  // at the clocks

  struct Look {
    std::int64_t now = 0, away = 0, lost = 0, on_processor = 0, stretches = 0;
  };
  static Look look_at(std::int64_t now) {
    return {now, board::away_ns(), board::lost_ns(), processor_ns(), board::stretches_ns()};
  }
  static TimeSpent between(const Look& last, const Look& present) {
    const std::int64_t away = present.away - last.away, lost = present.lost - last.lost;
    const std::int64_t not_away = std::max<std::int64_t>(0, present.now - last.now - away);
    return {.computed = computed_of(not_away, present.on_processor - last.on_processor, lost,
                                    present.stretches - last.stretches),
            .lost = lost};
  }

  unsigned points_ = 0;
  Look last_;
};

}  // namespace weft::pthread
