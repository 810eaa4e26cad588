// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pthread/gathering/gathering_choice.hpp"

#include <gtest/gtest.h>

namespace weft::pthread {
namespace {

using Time = GatheringChoice::Time;
constexpr Time kRound = GatheringChoice::kShortestRound;
constexpr Time kSecond = 1'000'000'000;

// A program of which all rounds are alike: the threads that are busy in them, and the part of their
// time that they compute.
struct Program {
  double threads, computing;
  Time round = kRound;

  [[nodiscard]] GatheringChoice::Sums sums() const {
    const double busy = static_cast<double>(round) * threads;
    return {.length = round,
            .computed = static_cast<Time>(busy * computing),
            .lost = static_cast<Time>(busy * (1 - computing))};
  }
};

// Plays rounds until the threads come together: how many; 0: they never do.
unsigned rounds_until_together(GatheringChoice& choice, const Program& program, Time& now) {
  for (unsigned round = 1; round <= 100; ++round) {
    now += program.round;
    EXPECT_TRUE(choice.is_round_over(now));
    EXPECT_EQ(choice.begin_round(now), program.round);
    if (choice.judge(program.sums(), now)) return round;
  }
  return 0;
}

unsigned rounds_until_together(const GatheringChoice::Surroundings& surroundings,
                               const Program& program) {
  GatheringChoice choice(surroundings);
  Time now = 0;
  return rounds_until_together(choice, program, now);
}

TEST(GatheringChoice, ThreadsThatLoseComeTogetherAfterTwoRounds) {
  EXPECT_EQ(rounds_until_together({.processors = 2}, {.threads = 2, .computing = 0.5}), 2);
  EXPECT_EQ(rounds_until_together({.processors = 2}, {.threads = 2, .computing = 0.88}), 2);
  EXPECT_EQ(rounds_until_together({.processors = 2}, {.threads = 2, .computing = 0.92}), 0);
}

TEST(GatheringChoice, OneRoundIsEnoughWhereNothingCanBeLost) {
  EXPECT_EQ(rounds_until_together({.processors = 2}, {.threads = 2, .computing = 0.2}), 1);
  const GatheringChoice::Surroundings others{.processors = 2, .has_all_processors = false};
  EXPECT_EQ(rounds_until_together(others, {.threads = 2, .computing = 0.2}), 2);
}

TEST(GatheringChoice, NodeZerosProcessorsWouldBeShared) {
  const GatheringChoice::Surroundings one{.processors = 1, .has_all_processors = false};
  EXPECT_EQ(rounds_until_together(one, {.threads = 4, .computing = 0.3}), 0);
  EXPECT_EQ(rounds_until_together(one, {.threads = 4, .computing = 0.2}), 2);
}

TEST(GatheringChoice, ThreadsThatAreIdleStay) {
  EXPECT_EQ(rounds_until_together({.processors = 2}, {.threads = 0.05, .computing = 0.1}), 0);
}

TEST(GatheringChoice, ALongRoundDoesNotCount) {
  const Time longer = GatheringChoice::kLongestRound + 1;
  EXPECT_EQ(rounds_until_together({}, {.threads = 1, .computing = 0.1, .round = longer}), 0);
}

TEST(GatheringChoice, OneGoodRoundIsAReasonToStay) {
  GatheringChoice choice({.processors = 2});
  const Program loses{.threads = 2, .computing = 0.5}, computes{.threads = 2, .computing = 1};
  Time now = kRound;
  for (int turn = 0; turn < 10; ++turn) {
    EXPECT_FALSE(choice.judge(loses.sums(), now += kRound));
    EXPECT_FALSE(choice.judge(computes.sums(), now += kRound));
  }
}

TEST(GatheringChoice, NoRoundEndsSoonerThanItMay) {
  GatheringChoice choice({});
  (void)choice.begin_round(kSecond);
  EXPECT_FALSE(choice.is_round_over(kSecond + kRound - 1));
  EXPECT_TRUE(choice.is_round_over(kSecond + kRound));
}

TEST(GatheringChoice, TheyGoApartAfterAPauseThatDoubles) {
  GatheringChoice choice({.processors = 1, .has_all_processors = false});
  const Program loses{.threads = 2, .computing = 0.1};
  Time now = 0;
  for (Time pause = GatheringChoice::kFirstPause; pause <= GatheringChoice::kLongestPause;
       pause *= 2) {
    EXPECT_EQ(rounds_until_together(choice, loses, now), 2);
    EXPECT_TRUE(choice.are_together());
    EXPECT_FALSE(choice.is_round_over(now + 10 * kRound));
    EXPECT_FALSE(choice.part(now + pause - 1, 4));
    EXPECT_FALSE(choice.part(now + pause, 1)) << "Each has a processor.";
    EXPECT_TRUE(choice.part(now += pause, 2));
    EXPECT_FALSE(choice.are_together());
  }
}

TEST(GatheringChoice, WhereAllProcessorsAreOneHostsTheyStayTogether) {
  GatheringChoice choice({.processors = 2, .has_all_processors = true});
  Time now = 0;
  EXPECT_EQ(rounds_until_together(choice, {.threads = 4, .computing = 0.1}, now), 1);
  EXPECT_FALSE(choice.part(now + 1000 * kSecond, 4));
}

}  // namespace
}  // namespace weft::pthread
