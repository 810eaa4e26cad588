// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/pages/page_kinds.hpp"

#include <gtest/gtest.h>

#include "protocol/homes/home_choice.hpp"

namespace weft {
namespace {

// A page homed at node 0, used epoch after epoch: these nodes write it, then so many copies go out.
struct Round {
  std::vector<int> writers;
  int copies = 0;
};

PageKind kind_after(const std::vector<Round>& rounds, int times, std::uint32_t quiet_epochs = 0,
                    bool with_lock = false) {
  HomeFacts facts;
  facts.home = NodeId(0);
  PageUse use;
  for (int time = 0; time < times; ++time) {
    for (const Round& round : rounds) {
      std::vector<NodeId> writers;
      for (const int writer : round.writers) {
        writers.push_back(NodeId(static_cast<std::uint16_t>(writer)));
      }
      use.note_written(facts, writers);
      note_writers(facts, writers);
      for (int copy = 0; copy < round.copies; ++copy) use.note_given();
    }
  }
  return use.kind(with_lock, quiet_epochs);
}

TEST(PageKinds, OneWriterAndNobodyElse) {
  EXPECT_EQ(PageUse().kind(false, 100), PageKind::kSingleWriter);
  EXPECT_EQ(kind_after({{{3}}}, 20), PageKind::kSingleWriter);
  EXPECT_EQ(kind_after({{{3}}}, 20, 100), PageKind::kSingleWriter);
}

TEST(PageKinds, WhatIsReadOnceInAWhileHasASingleWriter) {
  EXPECT_EQ(kind_after({{{0}}, {{0}}, {{0}}, {{0}, 1}}, 5), PageKind::kSingleWriter);
  // As when node 0 prints all results at the end.
  EXPECT_EQ(kind_after({{{0}, 1}}, 1), PageKind::kSingleWriter);
}

TEST(PageKinds, ProducersAreReadMostTimes) {
  EXPECT_EQ(kind_after({{{0}, 1}}, 2), PageKind::kProducerConsumer);
  EXPECT_EQ(kind_after({{{0}, 3}, {{0}, 3}, {{0}}}, 5), PageKind::kProducerConsumer);
}

TEST(PageKinds, ReplicasLastWhereNobodyWrites) {
  EXPECT_EQ(kind_after({{{0}, 3}}, 1, 9), PageKind::kReadMostly);
  EXPECT_EQ(kind_after({{{0}, 3}}, 10, 65), PageKind::kReadMostly);
  // The end of a program is not that.
  EXPECT_EQ(kind_after({{{0}, 3}}, 10, 64), PageKind::kProducerConsumer);
  // Initial contents that nobody ever wrote.
  PageUse unwritten;
  unwritten.note_given();
  EXPECT_EQ(unwritten.kind(false, 1), PageKind::kReadMostly);
}

TEST(PageKinds, WhatGoesFromWriterToWriterIsMigratory) {
  EXPECT_EQ(kind_after({{{1}, 1}, {{2}, 1}, {{3}, 1}}, 5), PageKind::kMigratory);
  // Once for good is not.
  EXPECT_EQ(kind_after({{{1}, 1}, {{2}}, {{2}}, {{2}}}, 1), PageKind::kSingleWriter);
  EXPECT_EQ(kind_after({{{1, 2}, 1}}, 5, 0, true), PageKind::kMigratory);
}

TEST(PageKinds, OfSeveralWritersSomeAloneReadWhatTheyWrote) {
  // With the home, one other writer needs it again; without, both.
  EXPECT_EQ(kind_after({{{0, 2}, 1}}, 5), PageKind::kMultipleWriter);
  EXPECT_EQ(kind_after({{{1, 2}, 2}}, 5), PageKind::kMultipleWriter);
  EXPECT_EQ(kind_after({{{0, 2}, 2}}, 5), PageKind::kWriteShared);
  EXPECT_EQ(kind_after({{{1, 2}, 3}}, 5), PageKind::kWriteShared);
}

TEST(PageKinds, OnlyTheLastEightWritingsCount) {
  std::vector<Round> rounds(100, Round{{1, 2}, 3});
  rounds.insert(rounds.end(), 8, Round{{1}, 0});
  EXPECT_EQ(kind_after(rounds, 1), PageKind::kSingleWriter);
}

}  // namespace
}  // namespace weft
