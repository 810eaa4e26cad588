// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/updates/carried_diffs.hpp"

#include <gtest/gtest.h>

#include "protocol/context/test_surroundings.hpp"
#include "protocol/updates/deferred_updates.hpp"

namespace weft {
namespace {

constexpr NodeId kOne(1), kTwo(2), kHome(3);

Record record(NodeId writer, std::uint32_t number, PageSet pages) {
  return {.writer = writer,
          .number = IntervalNumber(number),
          .late = false,
          .deferred = false,
          .current = false,
          .looked = false,
          .pages = std::move(pages),
          .updates = {},
          .stores = {}};
}

PageSet page(std::uint64_t index) { return PageSet{PageRange{PageIndex(index), 1}}; }

KeptUpdate update(std::uint64_t index, std::size_t bytes = 1) {
  return {UpdateSequence(7), {}, {{PageIndex(index), Bytes(bytes)}}};
}

TEST(CarriedDiffs, GiveWhatBelongsToRecordsInTheirOrder) {
  CarriedDiffs diffs;
  diffs.add(kTwo, IntervalNumber(1), kHome, true, update(5));
  diffs.add(kOne, IntervalNumber(1), kHome, true, update(6));
  diffs.add(kOne, IntervalNumber(1), kHome, true, update(8));  // known
  diffs.add(kOne, IntervalNumber(2), kHome, true, update(7));
  const auto carried = diffs.of({record(kOne, 1, page(6)), record(kTwo, 1, page(5))});
  ASSERT_EQ(carried.size(), 2U);
  EXPECT_EQ(carried[0].writer, kTwo);
  EXPECT_EQ(carried[1].writer, kOne);
  EXPECT_EQ(carried[1].diffs.at(0).page, PageIndex(6));
  EXPECT_EQ(carried[1].sequence, UpdateSequence(7));
  diffs.end_epoch();
  EXPECT_TRUE(diffs.of({record(kOne, 1, page(6))}).empty());
}

TEST(CarriedDiffs, CoverPagesOfWhichNoDiffIsLacking) {
  CarriedDiffs diffs;
  diffs.add(kOne, IntervalNumber(1), kHome, true, update(6));
  diffs.add(kTwo, IntervalNumber(1), kHome, true, update(5));
  const std::vector<Record> records = {record(kOne, 1, PageSet{{PageIndex(6), 2}}),
                                       record(kTwo, 1, page(5)), record(kTwo, 2, page(5))};
  EXPECT_EQ(covered_pages(records, diffs.of(records)), page(6));
}

TEST(CarriedDiffs, KeepTheLatest) {
  CarriedDiffs diffs;
  constexpr std::size_t kLarge = 60 * 1024;
  for (std::uint32_t number = 1; number <= 20; ++number) {
    diffs.add(kOne, IntervalNumber(number), kHome, true, update(6, kLarge));
  }
  EXPECT_TRUE(diffs.of({record(kOne, 1, page(6))}).empty());
  EXPECT_EQ(diffs.of({record(kOne, 20, page(6))}).size(), 1U);
  // Too much for one message: none of them is sent.
  EXPECT_TRUE(diffs.of({record(kOne, 19, page(6)), record(kOne, 20, page(6))}).empty());
}

TEST(CarriedDiffs, DropWhatIsHandedOnNoMore) {
  CarriedDiffs diffs;
  for (std::uint32_t number = 1; number <= 3; ++number) {
    diffs.add(kOne, IntervalNumber(number), kHome, true, update(number));
    diffs.add(kTwo, IntervalNumber(number), kHome, true, update(number));
  }
  diffs.drop({IntervalNumber(), IntervalNumber(2), IntervalNumber(1)});
  EXPECT_TRUE(diffs.of({record(kOne, 2, page(2)), record(kTwo, 1, page(1))}).empty());
  const auto carried = diffs.of({record(kTwo, 2, page(2)), record(kOne, 3, page(3))});
  ASSERT_EQ(carried.size(), 2U);
  EXPECT_EQ(carried[0].writer, kTwo);
  EXPECT_EQ(carried[1].diffs.at(0).page, PageIndex(3));
}

TEST(DeferredUpdates, AreTakenInOrderAndDemandedOnce) {
  EngineConfig config;
  config.self = NodeId(0);
  Surroundings surroundings{config};
  UpdateStreams streams(NodeId(0));
  DeferredUpdates deferred(surroundings.context, streams);
  deferred.defer(kHome, update(1));
  deferred.defer(kHome, update(2));
  EXPECT_TRUE(deferred.has(kHome));
  EXPECT_GT(deferred.bytes(kHome), deferred.bytes(kOne));
  const auto taken = deferred.take(kHome);
  ASSERT_EQ(taken.size(), 2U);
  EXPECT_EQ(taken[1].view().diffs.at(0).page, PageIndex(2));
  EXPECT_TRUE(deferred.take(kHome).empty());

  deferred.note(kHome, kOne, UpdateSequence(4));
  deferred.note(kHome, kOne, UpdateSequence(3));
  deferred.demand(kHome);
  deferred.demand(kHome);
  ASSERT_EQ(surroundings.effects.sent.size(), 1U);
  EXPECT_EQ(surroundings.effects.sent[0].to, kOne);
}

}  // namespace
}  // namespace weft
