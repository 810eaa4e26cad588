// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "openmp/placement/spread_choice.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

namespace weft::openmp {
namespace {

using Time = SpreadChoice::Time;
constexpr Time kMicrosecond = 1'000, kMillisecond = 1'000'000, kSecond = 1'000'000'000;

// A region, and the serial part behind it.
struct Part {
  SpreadChoice::Place place = 1;
  Time computed = 0;     // by each node's threads, where it spans
  Time spread = 0;       // what it takes on all nodes
  Time inside = 0;       // and inside node 0
  Time serial = 0;       // and what is behind it
  Time brings_data = 0;  // what an instance takes longer where the last one ran elsewhere
};

// Plays a program, and answers as nodes would.
class Played {
 public:
  explicit Played(const SpreadChoice::Surroundings& surroundings)
      : surroundings_(surroundings), choice_(surroundings) {}

  // One instance.
  Placement run(const Part& part) {
    const SpreadChoice::Decision decision = choice_.begin(part.place, now_, away_);
    const bool is_spread = decision.placement == Placement::kSpread;
    Time took = is_spread ? part.spread : part.inside;
    if (decision.placement != last_) took += part.brings_data;
    last_ = decision.placement;
    now_ += took;
    if (is_spread) away_ += took - std::min(took, part.computed);
    choice_.end(now_, away_, part.computed);
    if (decision.asks_for_times) {
      ++reports_;
      for (unsigned node = 1; node < surroundings_.nodes; ++node) {
        choice_.add_report(node, decision.window, unreported_ + part.computed);
      }
      unreported_ = 0;
    } else if (is_spread) {
      unreported_ += part.computed;
    }
    now_ += part.serial;
    (is_spread ? spread_ : inside_) += 1;
    return decision.placement;
  }
  // For so long; returns the part of the time that went beyond the better placement's.
  double run_for(Time duration, const std::vector<Part>& parts) {
    const Time begin = now_;
    Time best = 0;
    while (now_ - begin < duration) {
      for (const Part& part : parts) {
        run(part);
        best += std::min(part.spread, part.inside) + part.serial;
      }
    }
    return static_cast<double>(now_ - begin - best) / static_cast<double>(now_ - begin);
  }

  [[nodiscard]] const SpreadChoice& choice() const { return choice_; }
  [[nodiscard]] unsigned reports() const { return reports_; }
  [[nodiscard]] unsigned inside() const { return inside_; }
  [[nodiscard]] unsigned spread() const { return spread_; }

 private:
  const SpreadChoice::Surroundings surroundings_;
  SpreadChoice choice_;
  Placement last_ = Placement::kSpread;
  Time now_ = 5 * kSecond, away_ = 0;
  Time unreported_ = 0;  // of each other node
  unsigned reports_ = 0, inside_ = 0, spread_ = 0;
};

constexpr SpreadChoice::Surroundings kTwoHosts{.nodes = 2, .threads_per_node = 1, .processors = 1};
constexpr SpreadChoice::Surroundings kOneHost{.nodes = 2, .threads_per_node = 1, .processors = 2};

// 100 us of work on each of two nodes, which wait 400 us for data.
constexpr Part kWaits{.place = 1,
                      .computed = 100 * kMicrosecond,
                      .spread = 500 * kMicrosecond,
                      .inside = 205 * kMicrosecond,
                      .serial = 10 * kMicrosecond};
// 1 ms of work on each of two nodes, which hardly wait.
constexpr Part kComputes{.place = 2,
                         .computed = kMillisecond,
                         .spread = kMillisecond + 50 * kMicrosecond,
                         .inside = 2 * kMillisecond,
                         .serial = 10 * kMicrosecond};

TEST(SpreadChoice, MovesInsideWhatWaitsMoreThanItComputes) {
  Played program(kTwoHosts);
  program.run_for(100 * kMillisecond, {kWaits});
  EXPECT_EQ(program.choice().mode(), Placement::kInside);
  EXPECT_EQ(program.choice().counts().moves, 1U);
  // Two windows, and hardly more.
  EXPECT_LT(program.spread() * kWaits.spread, 3 * SpreadChoice::kShortestWindow);
}

TEST(SpreadChoice, LeavesWhatComputesOnAllNodesAndAsksSeldom) {
  Played program(kTwoHosts);
  EXPECT_LT(program.run_for(10 * kSecond, {kComputes}), 0.001);
  EXPECT_EQ(program.inside(), 0U);
  // Windows of 320 ms in the end.
  EXPECT_LT(program.reports(), 10 * kSecond / SpreadChoice::kLongestWindow + 8);
}

TEST(SpreadChoice, OneWindowIsNotEnough) {
  Played program(kTwoHosts);
  // Data come once: all of the first window, and then no more.
  program.run_for(SpreadChoice::kShortestWindow, {kWaits});
  program.run_for(10 * kSecond, {kComputes});
  EXPECT_EQ(program.inside(), 0U);
}

TEST(SpreadChoice, WhatOneThreadComputesIsNotDivided) {
  // Each node has a processor for each thread. Half of the work would be half of the time, but all
  // of it is one thread's.
  SpreadChoice choice(kOneHost);
  Time now = 0;
  for (int i = 0; i < 1000; ++i) {
    const SpreadChoice::Decision decision = choice.begin(1, now, 0);
    ASSERT_EQ(decision.placement, Placement::kSpread) << i;
    now += kMillisecond;
    choice.end(now, 0, kMillisecond);
    if (decision.asks_for_times) choice.add_report(1, decision.window, 0);
  }
}

TEST(SpreadChoice, TheSerialPartCounts) {
  // A region of 500 us would gain 300, but there are 10 ms of serial work behind each.
  Played program(kTwoHosts);
  Part part = kWaits;
  part.serial = 20 * kWaits.spread;
  program.run_for(10 * kSecond, {part});
  EXPECT_EQ(program.inside(), 0U);
}

TEST(SpreadChoice, GoesBackWhereAnEstimateWasWrongAndWaitsLongerEachTime) {
  Played program(kTwoHosts);
  // It promises 205 us, and takes 2 ms: threads that take turns wait for each other.
  Part part = kWaits;
  part.inside = 2 * kMillisecond;
  program.run_for(kSecond, {part});
  EXPECT_EQ(program.choice().mode(), Placement::kSpread);
  EXPECT_EQ(program.choice().counts().returns, 1U);
  const double lost = program.run_for(60 * kSecond, {part});
  EXPECT_LT(lost, 0.03);
  EXPECT_LE(program.choice().counts().returns, 7U);
  EXPECT_GE(program.choice().counts().returns, 3U);
}

TEST(SpreadChoice, TriesAllNodesAgainRarely) {
  Played program(kTwoHosts);
  Part part = kWaits;
  part.brings_data = 20 * kMillisecond;
  program.run_for(kSecond, {part});
  const double lost = program.run_for(120 * kSecond, {part});
  EXPECT_EQ(program.choice().mode(), Placement::kInside);
  EXPECT_GE(program.choice().counts().trials, 2U);
  EXPECT_LT(lost, 1.5 / SpreadChoice::kPausePerLoss);
}

TEST(SpreadChoice, FollowsAProgramWhoseWorkGrows) {
  Played program(kTwoHosts);
  program.run_for(kSecond, {kWaits});
  ASSERT_EQ(program.choice().mode(), Placement::kInside);
  Part grown = kComputes;
  grown.place = kWaits.place;
  program.run_for(10 * kSecond, {grown});
  EXPECT_EQ(program.choice().mode(), Placement::kSpread);
  program.run_for(10 * kSecond, {kWaits});
  EXPECT_EQ(program.choice().mode(), Placement::kInside);
}

TEST(SpreadChoice, ANewPhaseIsTriedSoon) {
  Played program(kTwoHosts);
  program.run_for(500 * kMillisecond, {kWaits});
  ASSERT_EQ(program.choice().mode(), Placement::kInside);
  program.run_for(500 * kMillisecond, {kComputes});
  EXPECT_EQ(program.choice().mode(), Placement::kSpread);
}

TEST(SpreadChoice, RegionsThatShareDataMoveTogether) {
  Played program(kTwoHosts);
  Part small = kWaits;
  small.place = 7;
  program.run_for(kSecond, {kComputes, small, kComputes});
  // 100 us of 2.6 ms are not worth a move.
  EXPECT_EQ(program.inside(), 0U);
}

TEST(SpreadChoice, TriesInsideWhereEachThreadHasAProcessor) {
  Played program(kOneHost);
  // Threads compute all the time, but half of it are the runtime's own: no estimate can tell.
  const Part part{.place = 1,
                  .computed = 2 * kMillisecond,
                  .spread = 2 * kMillisecond,
                  .inside = kMillisecond,
                  .serial = 0};
  program.run_for(3 * kSecond, {part});
  EXPECT_EQ(program.choice().mode(), Placement::kInside);
  EXPECT_EQ(program.choice().counts().trials, 1U);
}

TEST(SpreadChoice, ALongRegionIsJudgedByFewInstances) {
  Played program(kTwoHosts);
  const Part part{.place = 1,
                  .computed = 100 * kMillisecond,
                  .spread = kSecond,
                  .inside = 200 * kMillisecond,
                  .serial = kMillisecond};
  for (int i = 0; i < 8; ++i) program.run(part);
  EXPECT_EQ(program.choice().mode(), Placement::kInside);
}

TEST(SpreadChoice, WaitsForTheReportsOfItsWindow) {
  SpreadChoice choice(kTwoHosts);
  Time now = 0;
  const auto run = [&] {
    const SpreadChoice::Decision decision = choice.begin(1, now, 0);
    now += 30 * kMillisecond;
    choice.end(now, 0, 0);
    return decision;
  };
  const SpreadChoice::Decision first = run();
  ASSERT_TRUE(first.asks_for_times);
  choice.add_report(1, first.window + 1, 0);
  EXPECT_EQ(run().window, first.window);
  choice.add_report(1, first.window, 0);
  EXPECT_NE(run().window, first.window);
}

TEST(SpreadChoice, WhatIsObviousNeedsOneWindow) {
  Played program(kTwoHosts);
  Part part = kWaits;
  part.spread = 70 * kMillisecond;  // for a fifth of a millisecond of work
  for (int i = 0; i < 2; ++i) program.run(part);
  EXPECT_EQ(program.spread(), 1U);
}

TEST(SpreadChoice, AnObviousMoveThatWasWrongIsUndoneSoon) {
  Played program(kTwoHosts);
  // The first instance brings a large array along; the others only compute.
  Part first = kComputes;
  first.spread = 500 * kMillisecond;
  program.run(first);
  program.run(kComputes);
  ASSERT_EQ(program.choice().mode(), Placement::kInside);
  program.run_for(200 * kMillisecond, {kComputes});
  EXPECT_EQ(program.choice().mode(), Placement::kSpread);
}

}  // namespace
}  // namespace weft::openmp
