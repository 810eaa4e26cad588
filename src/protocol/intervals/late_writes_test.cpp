// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/intervals/late_writes.hpp"

#include <gtest/gtest.h>

namespace weft {
namespace {

constexpr PageIndex kPage(7);
const PageSet kPages{PageRange{PageIndex(3), 2}};

TEST(LateWrites, AreThoseAfterTheArrival) {
  LateWrites late;
  late.note(kPage);
  late.note(kPages);
  EXPECT_TRUE(late.take_pages().empty());
  late.arrive(false);
  EXPECT_FALSE(late.is_late());
  late.note(kPage);
  EXPECT_TRUE(late.is_late());
  late.note(kPages);
  PageSet all = kPages;
  all.insert(kPage);
  EXPECT_EQ(late.take_pages(), all);
  EXPECT_TRUE(late.take_pages().empty());
}

TEST(LateWrites, OfThisNodeAreMadeByThreadsOutsideTheTeam) {
  LateWrites late;
  late.arrive(false);
  late.note_own(kPage);
  EXPECT_TRUE(late.take_pages().empty());
  late.arrive(true);
  EXPECT_TRUE(late.is_late());
  late.note_own(kPage);
  EXPECT_TRUE(late.take_pages().contains(kPage));
  late.begin_epoch(false);
  EXPECT_FALSE(late.is_late());
  EXPECT_FALSE(late.has_arrived());
  EXPECT_TRUE(late.others_here());
}

TEST(LateWrites, KeepDiffsForTheNextEpoch) {
  LateWrites late;
  late.keep(kPage, Bytes(3));
  ASSERT_EQ(late.take_diffs().size(), 1U);
  EXPECT_TRUE(late.take_diffs().empty());
}

// A record of an old epoch is in the notices that ended it, or if it is late, in the next ones.
TEST(LateWrites, WereNoticedWhereAnEpochHasEndedForAll) {
  LateWrites late;
  late.begin_epoch(false);  // epoch 1
  EXPECT_TRUE(late.was_noticed(Epoch(0), false, Epoch(1)));
  EXPECT_FALSE(late.was_noticed(Epoch(0), true, Epoch(1)));
  late.begin_epoch(true);  // epoch 2, by node 0's notices alone
  EXPECT_FALSE(late.was_noticed(Epoch(1), false, Epoch(2)));
  EXPECT_TRUE(late.was_noticed(Epoch(0), false, Epoch(2)));
  EXPECT_FALSE(late.was_noticed(Epoch(0), true, Epoch(2)));
  for (int epochs = 0; epochs < 64; ++epochs) late.begin_epoch(true);
  EXPECT_FALSE(late.was_noticed(Epoch(66 - 63), false, Epoch(66)));
  EXPECT_TRUE(late.was_noticed(Epoch(66 - 64), false, Epoch(66)));
  EXPECT_FALSE(late.was_noticed(Epoch(66 - 64), true, Epoch(66)));
}

}  // namespace
}  // namespace weft
