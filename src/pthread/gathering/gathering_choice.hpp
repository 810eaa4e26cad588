// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The choice between threads on all nodes and all of them on node 0, for programs that make their
// threads themselves. It knows no clock and no node: times are inputs, in nanoseconds, so tests can
// play whole programs.
//
//   a thread loses ─► a round ends: what have all threads computed in it, and lost?
//                       │ twice in a row: on node 0 it would have taken less
//                       ▼
//                     together ── pause, and more threads with work than processors ──► apart
//
// A round has a length, and threads that were busy in it: they computed, or lost time to other
// nodes (board::lost_ns). On node 0 nothing would be lost, and its processors would be shared.
//
// Rejected: windows for each thread by itself. One that loses may be the only one, and its gain the
// loss of many; and one that does not lose may be what others lose by.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "runtime/interface/spreading.hpp"

namespace weft::pthread {

class GatheringChoice {
 public:
  using Time = std::int64_t;  // nanoseconds

  struct Surroundings {
    unsigned processors = 1;                            // that threads on node 0 have
    bool has_all_processors = true;                     // of the job: apart is never faster
    std::optional<RandomSpread> random = std::nullopt;  // for tests: now together, now apart
  };
  // Of all threads, in a round.
  struct Sums {
    Time length = 0;
    Time computed = 0, lost = 0;
  };

  static constexpr Time kShortestRound = 50'000'000;
  // In a longer one the program has been several things.
  static constexpr Time kLongestRound = 500'000'000;
  static constexpr Time kRandomRound = 1'000'000;
  static constexpr unsigned kRoundsToGather = 2;
  static constexpr double kWorthwhile = 0.9;
  // One round is enough where coming together can be no mistake.
  static constexpr double kObvious = 0.25;
  // Of a processor. Who does less has nothing to win.
  static constexpr double kLeastBusy = 0.1;
  // Until threads may go apart again, and be measured anew. Doubles each time.
  static constexpr Time kFirstPause = 1'000'000'000, kLongestPause = 64'000'000'000;

  explicit GatheringChoice(const Surroundings& surroundings)
      : surroundings_(surroundings), random_(surroundings.random) {}

  [[nodiscard]] bool are_together() const { return are_together_; }

  // A thread has lost time. Whether a round ends now.
  [[nodiscard]] bool is_round_over(Time now) const {
    return !are_together_ && now - round_begins_ >= (is_random() ? kRandomRound : kShortestRound);
  }
  // The next one begins. Returns the length of the last one.
  Time begin_round(Time now) {
    const Time length = now - round_begins_;
    round_begins_ = now;
    return length;
  }
  // Whether all threads are to come together, from now on.
  [[nodiscard]] bool judge(const Sums& round, Time now) {
    const double takes = part_that_it_takes(round);
    agreeing_ = takes < kWorthwhile ? agreeing_ + 1 : 0;
    if (takes < kObvious && surroundings_.has_all_processors) agreeing_ = kRoundsToGather;
    if (is_random() ? !random_->next() : agreeing_ < kRoundsToGather) return false;
    agreeing_ = 0;
    are_together_ = true;
    if (is_random()) bits_to_part_ = random_->next() && random_->next() ? kFewBits : kManyBits;
    parts_from_ = now + pause_;
    pause_ = std::min(2 * pause_, kLongestPause);
    return true;
  }
  // `with_work`: of node 0's threads. Whether they go apart, from now on.
  [[nodiscard]] bool part(Time now, unsigned with_work) {
    if (!may_part(now)) return false;
    if (is_random() ? !parts_by_chance() : with_work <= surroundings_.processors) return false;
    are_together_ = false;
    round_begins_ = now;
    return true;
  }
  [[nodiscard]] bool may_part(Time now) const {
    if (is_random()) return are_together_;
    return are_together_ && !surroundings_.has_all_processors && now >= parts_from_;
  }

 private:
  [[nodiscard]] bool is_random() const { return random_.has_value(); }
  [[nodiscard]] bool parts_by_chance() {
    for (unsigned bit = 0; bit < bits_to_part_; ++bit) {
      if (!random_->next()) return false;
    }
    return true;
  }
  // Of the round's length, on node 0; 1 where that is not known.
  [[nodiscard]] double part_that_it_takes(const Sums& round) const {
    const auto length = static_cast<double>(round.length);
    const auto computed = static_cast<double>(round.computed);
    const double busy = computed + static_cast<double>(round.lost);
    if (round.length > kLongestRound || busy < kLeastBusy * length) return 1;
    const double in_turn = busy / length / surroundings_.processors;  // threads for each processor
    return computed / busy * std::max(1.0, in_turn);
  }

  const Surroundings surroundings_;
  bool are_together_ = false;
  unsigned agreeing_ = 0;  // rounds in a row
  Time round_begins_ = 0, parts_from_ = 0;
  Time pause_ = kFirstPause;
  std::optional<RandomSpread> random_;
  // Of chance: threads part at one look of four, often before all have come, or of 256, after node
  // 0 has been alone.
  static constexpr unsigned kFewBits = 2, kManyBits = 8;
  unsigned bits_to_part_ = kFewBits;
};

}  // namespace weft::pthread
