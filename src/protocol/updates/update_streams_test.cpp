// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/updates/update_streams.hpp"

#include <gtest/gtest.h>

#include <variant>
#include <vector>

namespace weft {
namespace {

constexpr NodeId kSelf(0), kOther(1), kThird(2);
constexpr step::Complete kStep{WaitId(1)}, kOtherStep{WaitId(2)};

std::vector<WaitId> waits_of(const std::vector<Step>& steps) {
  std::vector<WaitId> waits;
  for (const Step& step : steps) waits.push_back(std::get<step::Complete>(step).wait);
  return waits;
}

std::vector<StreamPosition> positions(NodeId node, std::uint64_t sequence) {
  return {{node, UpdateSequence(sequence)}};
}

TEST(UpdateStreams, RequiresTheOwnStreamAndWhatRecordsName) {
  UpdateStreams streams(kSelf);
  EXPECT_TRUE(streams.requirement_at(kOther).empty());
  streams.next_to(kOther, true);
  streams.require(kOther, kThird, UpdateSequence(4));
  streams.require(kOther, kThird, UpdateSequence(2));
  const std::vector<StreamPosition> expected = {{kSelf, UpdateSequence(1)},
                                                {kThird, UpdateSequence(4)}};
  EXPECT_EQ(streams.requirement_at(kOther), expected);
  streams.end_epoch();
  EXPECT_EQ(streams.requirement_at(kOther), positions(kSelf, 1));
}

TEST(UpdateStreams, NamesEachUpdateInOneRecord) {
  UpdateStreams streams(kSelf);
  streams.next_to(kOther, true);
  streams.next_to(kOther, true);
  streams.next_to(kThird, false);
  EXPECT_EQ(streams.take_unnoticed(), positions(kOther, 2));
  EXPECT_TRUE(streams.take_unnoticed().empty());
}

TEST(UpdateStreams, KeepAStepUntilTheUpdateIsApplied) {
  UpdateStreams streams(kSelf);
  EXPECT_TRUE(streams.applied_or_keep({}, kStep));
  EXPECT_FALSE(streams.applied_or_keep(positions(kOther, 2), kStep));
  streams.count_applied(kOther, UpdateSequence(1));
  EXPECT_TRUE(streams.take_ready().empty());
  streams.count_applied(kOther, UpdateSequence(2));
  EXPECT_EQ(streams.take_ready().size(), 1U);
  EXPECT_TRUE(streams.take_ready().empty());
}

TEST(UpdateStreams, SettleWhatIsNeededAtTheTimeOfTheCall) {
  UpdateStreams streams(kSelf);
  streams.need(kOther, UpdateSequence(1));
  EXPECT_FALSE(streams.settled_or_keep(kStep));
  streams.need(kThird, UpdateSequence(1));
  EXPECT_FALSE(streams.settled_or_keep(kOtherStep));
  streams.count_applied(kOther, UpdateSequence(1));
  EXPECT_EQ(waits_of(streams.take_ready()), std::vector{kStep.wait});
  streams.count_applied(kThird, UpdateSequence(1));
  EXPECT_EQ(waits_of(streams.take_ready()), std::vector{kOtherStep.wait});
}

TEST(UpdateStreams, HaveNothingReadyWhilePaused) {
  UpdateStreams streams(kSelf);
  streams.pause(true);
  EXPECT_FALSE(streams.settled_or_keep(kStep));
  EXPECT_TRUE(streams.take_ready().empty());
  streams.pause(false);
  EXPECT_EQ(waits_of(streams.take_ready()), std::vector{kStep.wait});
}

TEST(UpdateStreamsDeathTest, RefusesAGapInAStream) {
  UpdateStreams streams(kSelf);
  EXPECT_DEATH(streams.count_applied(kOther, UpdateSequence(2)), "update 2 of node 1 after 0");
}

}  // namespace
}  // namespace weft
