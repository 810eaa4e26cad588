// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All small worlds, as far as a few seconds go; and that each deliberate bug that fits into one is
// found there, on a way on which nothing is wrong without it. Budgets are steps: a slow machine
// sees as much as a fast one.
#include <gtest/gtest.h>

#include <algorithm>

#include "protocol/bugs.hpp"
#include "sim/explore/explorer.hpp"
#include "sim/explore/library.hpp"
#include "sim/failure.hpp"

namespace weft::sim::explore {
namespace {

constexpr double kNoLimit = 1e9;
constexpr Budget kBriefly{kNoLimit, 20'000};
constexpr Budget kLong{kNoLimit, 400'000};

std::string test_name(const std::string& name) {
  std::string plain = name;
  std::ranges::replace_if(
      plain, [](unsigned char letter) { return std::isalnum(letter) == 0; }, '_');
  return plain;
}

class SmallWorld : public testing::TestWithParam<Program> {
 protected:
  void SetUp() override { turn_assertions_into_failures(); }
};

TEST_P(SmallWorld, IsRight) {
  const Program& program = GetParam();
  const Exploration done = Explorer(program).explore(kBriefly);
  EXPECT_FALSE(done.finding) << done.finding->what << "\n./x check --world " << program.name
                             << " --trace --replay " << done.finding->way.text();
  EXPECT_GT(done.ends, 0U) << "no way ends";
}

INSTANTIATE_TEST_SUITE_P(Each, SmallWorld, testing::ValuesIn(load_all_worlds(WEFT_WORLDS)),
                         [](const testing::TestParamInfo<Program>& info) {
                           return test_name(info.param.name);
                         });

// Arrivals that cross lost a word that the child wrote first and the root wrote again, as it had
// learnt of that by a lock, a sequencer or a flag before it arrived. What is found is made short.
TEST(Crossing, LostWhatTheRootWroteOver) {
  turn_assertions_into_failures();
  activate_bug(Bug::kPushAcquired);
  for (const char* world : {"maximum", "hand-over", "told-by-flag"}) {
    const Program program = load_world(WEFT_WORLDS, std::string(world) + "/crosses-at-once");
    Explorer explorer(program);
    const Exploration done = explorer.explore(kLong);
    EXPECT_TRUE(done.finding) << world;
    if (!done.finding) continue;
    const Finding brief = explorer.shorten(*done.finding, {5});
    EXPECT_LE(brief.way.others.size(), done.finding->way.others.size());
    EXPECT_TRUE(Explorer::replay(program, Way::parse(brief.way.text()), nullptr)) << world;
  }
  activate_bug(Bug::kNone);
}

TEST(Explorer, SeesTheSameStatesEachTime) {
  turn_assertions_into_failures();
  const Program program = load_world(WEFT_WORLDS, "halves");
  const Exploration first = Explorer(program).explore(kLong);
  const Exploration second = Explorer(program).explore(kLong);
  EXPECT_TRUE(first.whole);
  EXPECT_GT(first.states, 100U);
  EXPECT_EQ(first.states, second.states);
  EXPECT_EQ(first.steps, second.steps);
}

TEST(Program, NamesTheLineThatMakesNoSense) {
  try {
    (void)parse_programs("w", "nodes 2\npages 1\ncells a=0:0\nturn:\n  0: read b\n  barrier\n");
    FAIL() << "it was taken";
  } catch (const Failure& failure) {
    EXPECT_STREQ(failure.what(), "world w, line 5: nothing is called 'b'");
  }
}

struct Fit {
  Bug bug;
  const char* world;
};
const Fit kFits[] = {
    {Bug::kPushAcquired, "maximum/crosses-at-once"},
    {Bug::kSkipOwnStream, "merged/at-1"},
    {Bug::kApplyLateUpdate, "late-update"},
    {Bug::kMoveHomeOfTwoWriters, "counts/at-1"},
    {Bug::kServeWithoutTracking, "by-turns"},
    {Bug::kForgetOthersRecords, "reduction"},
    {Bug::kLeaveWithoutFinals, "evictions"},
    {Bug::kAcquireWithoutUpdates, "gather"},
    {Bug::kAcceptOvertakenReply, "tries/rmp"},
    {Bug::kAtomicNotPatched, "counts/at-1"},
    {Bug::kAtomicWithoutFlush, "counts/at-1"},
    {Bug::kAtomicWithoutNotice, "count-of-one"},
    {Bug::kServeTooEarly, "lock-other-home"},
    {Bug::kTryTakesHeldLock, "tries"},
    {Bug::kPristineSurvivesNotice, "posts"},
    {Bug::kSequencerWithoutRecords, "counted"},
    {Bug::kSequencerCountAhead, "counted"},
    {Bug::kIntervalEndsAtArrival, "flag"},
    {Bug::kEvictWritten, "evictions"},
    {Bug::kEvictAsOnlyWriter, "evicted-alone/follows"},
    {Bug::kPostWithoutRecords, "posts"},
    {Bug::kKeepWithoutUpdate, "tries"},
    {Bug::kKeptCopyUnwatched, "by-turns-bare/unpushed"},
    {Bug::kContributionWithoutRecords, "gather"},
    {Bug::kGatherTooEarly, "gather/parts"},
    {Bug::kGatherWithoutParts, "gather/parts"},
    {Bug::kVoteOfOneChild, "line"},
    {Bug::kPushBeforeFinals, "merged"},
    {Bug::kInstallStalePush, "maximum/apart"},
    {Bug::kEndPushesSilently, "sequence"},
    {Bug::kExpectOffBeat, "rhythm"},
    {Bug::kCarryUnchecked, "lock-beyond"},
    {Bug::kCarryOverOwnWrites, "lock-and-own"},
    {Bug::kUpdateOvertakes, "merged"},
    {Bug::kForgetHolder, "flag"},
    {Bug::kForgetLateHolder, "sequence"},
    {Bug::kForgetFirstHolder, "sequence"},
    {Bug::kSettleDisputed, "single-writer"},
    {Bug::kTakeUnsettledPush, "single-writer"},
    {Bug::kForgetCarried, "flag"},
    {Bug::kCarryIncomplete, "merged"},
    {Bug::kEarlyFinalUnrecorded, "reduction"},
    {Bug::kMergeNotMapped, "merged-own"},
    {Bug::kMergeAfterDiffs, "merged-own"},
    {Bug::kMergeKeepsFetch, "merged-meanwhile"},
    {Bug::kLoseCarriedFinal, "publication"},
    {Bug::kDirectoryForgets, "unknown-homes"},
    {Bug::kUnknownStaysPristine, "unknown-homes"},
    {Bug::kConcealAtHome, "count-of-one"},
    {Bug::kPauseWithOthers, "outside"},
    {Bug::kPatchIncomplete, "lock-of-three"},
    {Bug::kPatchAsOwn, "lock-sum"},
    {Bug::kPatchUnordered, "lock-other-home"},
    {Bug::kNoDemand, "lock-other-home"},
    {Bug::kUpdateTwice, "lock-sum"},
    {Bug::kReturnWithoutRecords, "lock-sum/rmp"},
    {Bug::kMoveWithoutQueue, "two-locks/moves"},
    {Bug::kOthersAsHomes, "lock-sum"},
    {Bug::kOldHomeDiff, "lock-sum"},
    {Bug::kOvertakeHeld, "publication/unpushed"},
    {Bug::kWholeAfterUpdates, "advanced-halves"},
    {Bug::kTakeAnyOwn, "advanced-halves"},
    {Bug::kHoldWhileDeparting, "publication-of-three"},
    {Bug::kReleaseUnacknowledged, "lock-sum/eager"},
    {Bug::kReleaseUnnoticed, "lock-of-three/eager"},
    {Bug::kRecallForgetsHolder, "lock-sum/eager"},
    {Bug::kRecallSparesPristine, "lock-sum/eager"},
};

class BugThatFits : public testing::TestWithParam<Fit> {
 protected:
  void SetUp() override { turn_assertions_into_failures(); }
  void TearDown() override { activate_bug(Bug::kNone); }
};

TEST_P(BugThatFits, IsFound) {
  const Program program = load_world(WEFT_WORLDS, GetParam().world);
  activate_bug(GetParam().bug);
  const Exploration done = Explorer(program).explore(kLong);
  ASSERT_TRUE(done.finding) << "not in " << done.states << " states of " << program.name;
  RecordProperty("states", static_cast<int>(done.states));
  // From all events by name, which are as good without the bug.
  activate_bug(Bug::kNone);
  const std::optional<std::string> without = Explorer::replay(program, done.finding->way, nullptr);
  EXPECT_FALSE(without) << "without the bug, too: " << *without;
}

std::string bug_name(const testing::TestParamInfo<Fit>& info) {
  const auto known = std::ranges::find(all_bugs(), info.param.bug, &BugName::bug);
  return test_name(std::string(known->name));
}

INSTANTIATE_TEST_SUITE_P(Each, BugThatFits, testing::ValuesIn(kFits), bug_name);

}  // namespace
}  // namespace weft::sim::explore
