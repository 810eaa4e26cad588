// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/intervals/interval_log.hpp"

#include <gtest/gtest.h>

namespace weft {
namespace {

Record record(std::uint16_t writer, std::uint32_t number) {
  return {.writer = NodeId(writer),
          .number = IntervalNumber(number),
          .late = false,
          .deferred = false,
          .current = false,
          .looked = false,
          .pages = PageSet{{PageIndex(number), 1}},
          .updates = {},
          .stores = {}};
}

VectorClock clock(std::initializer_list<std::uint32_t> numbers) {
  VectorClock result;
  for (const std::uint32_t number : numbers) result.push_back(IntervalNumber(number));
  return result;
}

TEST(IntervalLog, GivesWhatAClockLacks) {
  IntervalLog log;
  EXPECT_TRUE(log.add(record(0, 1)));
  EXPECT_TRUE(log.add(record(2, 1)));
  EXPECT_TRUE(log.add(record(2, 2)));
  EXPECT_EQ(log.clock(), clock({1, 0, 2}));
  EXPECT_EQ(log.since(clock({1, 0, 1})), std::vector<Record>{record(2, 2)});
  EXPECT_EQ(log.since({}).size(), 3U);
  EXPECT_TRUE(log.since(clock({1, 9, 2})).empty());
}

TEST(IntervalLog, TakesARecordOnce) {
  IntervalLog log;
  EXPECT_TRUE(log.add(record(1, 1)));
  EXPECT_FALSE(log.add(record(1, 1)));
  EXPECT_EQ(log.since({}).size(), 1U);
}

TEST(IntervalLogDeathTest, RefusesAGap) {
  IntervalLog log;
  EXPECT_DEATH(log.add(record(1, 2)), "writer 1 interval 2 after 0");
}

TEST(IntervalLog, TellsWhatHasBeenWritten) {
  IntervalLog log;
  for (std::uint32_t number = 1; number < 4; ++number) log.add(record(1, number));
  EXPECT_EQ(log.pages(), (PageSet{{PageIndex(1), 3}}));
  EXPECT_EQ(log.pages_since(clock({0, 2})), (PageSet{{PageIndex(3), 1}}));
  EXPECT_EQ(log.pages_since({}), log.pages());
  log.clear();
  EXPECT_EQ(log.pages(), PageSet());
}

TEST(IntervalLog, TellsWhatAllButTwoHaveWritten) {
  IntervalLog log;
  for (std::uint16_t writer = 0; writer < 4; ++writer) log.add(record(writer, 1));
  log.add(record(2, 2));
  EXPECT_EQ(log.pages_but_of(NodeId(0), NodeId(1)), (PageSet{{PageIndex(1), 2}}));
  EXPECT_EQ(log.pages_but_of(NodeId(2), NodeId(2)), (PageSet{{PageIndex(1), 1}}));
}

TEST(IntervalLog, DropsWhatAllHaveHeard) {
  IntervalLog log;
  for (std::uint32_t number = 1; number < 4; ++number) log.add(record(1, number));
  log.add(record(2, 1));
  EXPECT_EQ(log.drop(clock({0, 2})), 2U);
  EXPECT_EQ(log.drop(clock({0, 1})), 0U);
  EXPECT_EQ(log.kept(), 2U);
  EXPECT_EQ(log.clock(), clock({0, 3, 1}));
  EXPECT_EQ(log.since({}), (std::vector{record(1, 3), record(2, 1)}));
  EXPECT_EQ(log.since(clock({0, 3})), std::vector{record(2, 1)});
  EXPECT_FALSE(log.add(record(1, 2)));
  EXPECT_TRUE(log.add(record(1, 4)));
}

TEST(IntervalLog, TellsThePagesOfDroppedRecords) {
  IntervalLog log;
  for (std::uint32_t number = 1; number < 5; ++number) log.add(record(1, number));
  log.drop(clock({0, 2}));
  EXPECT_EQ(log.pages(), (PageSet{{PageIndex(1), 4}}));
  EXPECT_EQ(log.pages_of(NodeId(1)), log.pages());
  EXPECT_EQ(log.pages_but_of(NodeId(0), NodeId(2)), log.pages());
  // Somebody who lacks one of those that were dropped may lack all.
  EXPECT_EQ(log.pages_since(clock({0, 1})), log.pages());
  EXPECT_EQ(log.pages_since(clock({0, 2})), (PageSet{{PageIndex(3), 2}}));
  EXPECT_EQ(log.pages_since(clock({0, 3})), (PageSet{{PageIndex(4), 1}}));
}

TEST(IntervalLogDeathTest, RefusesToDropWhatItHasNotHeard) {
  IntervalLog log;
  log.add(record(1, 1));
  EXPECT_DEATH(log.drop(clock({0, 2})), "writer 1 interval 2 is to be dropped unheard");
}

TEST(IntervalLog, StartsAnewWithTheEpoch) {
  IntervalLog log;
  log.add(record(1, 1));
  log.clear();
  EXPECT_EQ(log.clock(), clock({}));
  EXPECT_TRUE(log.add(record(1, 1)));
}

TEST(VectorClock, MergesToTheLaterOfEach) {
  VectorClock into = clock({3, 1});
  merge_clock(into, clock({2, 5, 4}));
  EXPECT_EQ(into, clock({3, 5, 4}));
  EXPECT_EQ(clock_at(into, NodeId(9)), IntervalNumber(0));
}

TEST(VectorClock, MeetsAtTheEarlierOfEach) {
  VectorClock into = clock({3, 1, 9});
  meet_clock(into, clock({2, 5}));
  EXPECT_EQ(into, clock({2, 1}));
  meet_clock(into, clock({4, 4, 4}));
  EXPECT_EQ(into, clock({2, 1}));
}

}  // namespace
}  // namespace weft
