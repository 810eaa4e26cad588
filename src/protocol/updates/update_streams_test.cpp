// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/updates/update_streams.hpp"

#include <gtest/gtest.h>

namespace weft {
namespace {

constexpr NodeId kSelf(0), kOther(1), kThird(2);

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

TEST(UpdateStreams, RunsWhatWaitsWhenTheUpdateIsApplied) {
  UpdateStreams streams(kSelf);
  int ran = 0;
  streams.when_applied({}, [&ran] { ++ran; });
  EXPECT_EQ(ran, 1);
  streams.when_applied(positions(kOther, 2), [&ran] { ++ran; });
  streams.count_applied(kOther, UpdateSequence(1));
  streams.run_ready();
  EXPECT_EQ(ran, 1);
  streams.count_applied(kOther, UpdateSequence(2));
  streams.run_ready();
  EXPECT_EQ(ran, 2);
}

TEST(UpdateStreams, SettlesWhatIsNeededAtTheTimeOfTheCall) {
  UpdateStreams streams(kSelf);
  streams.need(kOther, UpdateSequence(1));
  bool first = false, second = false;
  streams.when_settled([&first] { first = true; });
  streams.need(kThird, UpdateSequence(1));
  streams.when_settled([&second] { second = true; });
  streams.count_applied(kOther, UpdateSequence(1));
  streams.run_ready();
  EXPECT_TRUE(first);
  EXPECT_FALSE(second);
  streams.count_applied(kThird, UpdateSequence(1));
  streams.run_ready();
  EXPECT_TRUE(second);
}

TEST(UpdateStreams, RunsNothingWhilePaused) {
  UpdateStreams streams(kSelf);
  streams.pause(true);
  bool ran = false;
  streams.when_settled([&ran] { ran = true; });
  streams.run_ready();
  EXPECT_FALSE(ran);
  streams.pause(false);
  streams.run_ready();
  EXPECT_TRUE(ran);
}

TEST(UpdateStreamsDeathTest, RefusesAGapInAStream) {
  UpdateStreams streams(kSelf);
  EXPECT_DEATH(streams.count_applied(kOther, UpdateSequence(2)), "update 2 of node 1 after 0");
}

}  // namespace
}  // namespace weft
