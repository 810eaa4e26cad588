// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the calling thread has computed, and lost to other nodes, since it was asked last.
#pragma once

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/futex.hpp"
#include "runtime/board/program_time.hpp"
#include "stacks/stacks.hpp"

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
    if (begin_ == 0) return begin(now), std::nullopt;
    if (now - begin_ < pause_ns) return std::nullopt;
    const TimeSpent spent = since_begin(now);
    begin(now);
    return spent;
  }

 private:
  static constexpr unsigned kPointsForALook = 8;  // at the clock

  // What the thread has spent of a processor, in Weft as well.
  static std::int64_t processor_ns() {
    return on_runtime_stack([] {
      timespec spent = {};
      ::syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &spent);
      return spent.tv_sec * 1'000'000'000LL + spent.tv_nsec;
    });
  }

  [[nodiscard]] TimeSpent since_begin(std::int64_t now) const {
    const std::int64_t lost = board::lost_ns() - lost_;
    const std::int64_t not_away =
        std::max<std::int64_t>(0, now - begin_ - (board::away_ns() - away_));
    return {.computed = computed_of(not_away, processor_ns() - processor_, lost,
                                    board::stretches_ns() - stretches_),
            .lost = lost};
  }

  void begin(std::int64_t now) {
    begin_ = now;
    away_ = board::away_ns();
    lost_ = board::lost_ns();
    processor_ = processor_ns();
    stretches_ = board::stretches_ns();
  }

  unsigned points_ = 0;
  std::int64_t begin_ = 0, away_ = 0, lost_ = 0, processor_ = 0, stretches_ = 0;
};

}  // namespace weft::pthread
