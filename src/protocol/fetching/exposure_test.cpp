// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/fetching/exposure.hpp"

#include <gtest/gtest.h>

#include "protocol/context/test_surroundings.hpp"

namespace weft {
namespace {

constexpr NodeId kReader(1), kFar(2);

// Shows what it is told to show, to the second of three nodes.
struct Shown : ExposedMemory {
  void expose(PageRange pages) override { exposed.insert(pages); }
  void withdraw(PageRange pages) override { exposed.erase(pages); }
  [[nodiscard]] bool reaches(NodeId home) const override { return home == kReader; }
  PageSet exposed;
};

// The home of 2,000 leaves of 64 pages, of which those of the first three have been touched.
constexpr std::uint64_t kLeaf = 64, kLeaves = 2000, kPages = kLeaves * kLeaf;

class ExposureTest : public testing::Test {
 protected:
  static EngineConfig config() { return config_with_one_home(NodeId(0), 3, kPages, NodeId(0)); }
  ExposureTest() { touch(3); }
  void touch(std::uint64_t leaves) {
    for (std::uint64_t leaf = 0; leaf < leaves; ++leaf) (void)table_.at(PageIndex(leaf * kLeaf));
  }
  void asked_for(std::uint64_t page, NodeId by = kReader) {
    exposure_.note_served(by, {PageIndex(page)}, false);
  }
  [[nodiscard]] std::uint64_t exposed() const { return shown_.exposed.page_count(); }

  Shown shown_;
  ArrayMemory memory_;
  WrittenEffects effects_;
  Context context_{.config = config(), .memory = memory_, .effects = effects_, .exposed = shown_};
  PageTable table_{context_.config};
  MergedAtomics merged_;
  OpenPages open_{shown_};
  PageAccess access_{table_, memory_, merged_, open_};
  CopyHolders holders_{context_, table_};
  Exposure exposure_{context_, table_, access_, holders_};
};

TEST_F(ExposureTest, TheSecondRequestForALeafExposesIt) {
  asked_for(70);
  EXPECT_EQ(exposed(), 0U);
  asked_for(10);
  EXPECT_EQ(exposed(), 0U) << "that is another leaf";
  asked_for(71);
  EXPECT_EQ(shown_.exposed.ranges(), (std::vector<PageRange>{{PageIndex(64), 64}}));
  EXPECT_EQ(table_.at(PageIndex(100)).state, PageState::kShared);
}

TEST_F(ExposureTest, ARequestForManyPagesOfALeafCountsOnce) {
  exposure_.note_served(kReader, {PageIndex(1), PageIndex(2), PageIndex(3)}, false);
  EXPECT_EQ(exposed(), 0U);
}

TEST_F(ExposureTest, NodesThatReadByMessagesDoNotCount) {
  for (std::uint64_t page = 0; page < 10; ++page) asked_for(page, kFar);
  EXPECT_EQ(exposed(), 0U);
}

TEST_F(ExposureTest, PagesOfOtherHomesAreNotExposed) {
  Page& foreign = table_.at(PageIndex(5));
  foreign.home = kFar;
  foreign.state = Machine<PageStates>(PageState::kInvalid);
  asked_for(1);
  asked_for(2);
  EXPECT_EQ(exposed(), 63U);
  EXPECT_FALSE(shown_.exposed.contains(PageIndex(5)));
}

TEST_F(ExposureTest, WhatIsWrittenEachTimeIsExposedEverMoreSeldom) {
  std::vector<unsigned> requests;
  for (int time = 0; time < 9; ++time) {
    unsigned count = 0;
    for (; !shown_.exposed.contains(PageIndex(0)); ++count) asked_for(1);
    requests.push_back(count);
    exposure_.withdraw(PageIndex(0));
    EXPECT_FALSE(shown_.exposed.contains(PageIndex(0)));
    EXPECT_TRUE(shown_.exposed.contains(PageIndex(1)));
  }
  EXPECT_EQ(requests, (std::vector<unsigned>{2, 3, 5, 9, 17, 33, 65, 66, 66}));
}

TEST_F(ExposureTest, SeveralPagesThatAreWithdrawnAtOnceCountAsOne) {
  asked_for(1);
  asked_for(2);
  for (std::uint64_t page = 0; page < 64; ++page) exposure_.withdraw(PageIndex(page));
  EXPECT_EQ(exposed(), 0U);
  for (int time = 0; time < 3; ++time) asked_for(3);
  EXPECT_EQ(exposed(), 64U);
}

TEST_F(ExposureTest, TheFurtherRequestsGoTheFurtherItReaches) {
  touch(kLeaves);
  asked_for(0);
  asked_for(1);
  EXPECT_EQ(exposed(), kLeaf) << "nothing beyond, at first";
  asked_for(500 * kLeaf);
  EXPECT_EQ(exposed(), 3 * kLeaf) << "one request is enough now, and the next leaf comes with it";
  asked_for(600 * kLeaf);
  EXPECT_TRUE(shown_.exposed.contains(PageIndex(602 * kLeaf)));
  EXPECT_EQ(exposed(), 6 * kLeaf);
  for (std::uint64_t leaf = 700; leaf < 710; ++leaf) asked_for(leaf * kLeaf);
  EXPECT_TRUE(shown_.exposed.contains(PageIndex((709 + 256) * kLeaf)));
  EXPECT_FALSE(shown_.exposed.contains(PageIndex((709 + 257) * kLeaf)));
}

TEST_F(ExposureTest, RequestsHereAndThereAreProofEnough) {
  touch(kLeaves);
  for (std::uint64_t leaf = 0; leaf < 80; leaf += 10) asked_for(leaf * kLeaf);
  EXPECT_EQ(exposed(), 0U);
  asked_for(80 * kLeaf);
  EXPECT_EQ(exposed(), kLeaf);
}

TEST_F(ExposureTest, AWalkDownIsWellServedBelow) {
  touch(kLeaves);
  asked_for(501 * kLeaf);
  asked_for(501 * kLeaf);
  exposure_.note_served(kReader, {PageIndex(400 * kLeaf), PageIndex(401 * kLeaf)}, true);
  EXPECT_TRUE(shown_.exposed.contains(PageIndex(399 * kLeaf)));
  EXPECT_FALSE(shown_.exposed.contains(PageIndex(402 * kLeaf)));
}

TEST_F(ExposureTest, WhatWasWrittenIsNotExposedWithOthers) {
  touch(kLeaves);
  asked_for(64);
  asked_for(65);
  exposure_.withdraw(PageIndex(64));
  asked_for(0);
  asked_for(1);
  asked_for(2 * kLeaf);
  EXPECT_FALSE(shown_.exposed.contains(PageIndex(64)));
  EXPECT_TRUE(shown_.exposed.contains(PageIndex(0)));
  EXPECT_TRUE(shown_.exposed.contains(PageIndex(3 * kLeaf)));
}

TEST_F(ExposureTest, LeavesWithoutEntriesAreLeftOut) {
  asked_for(1);
  asked_for(2);
  asked_for(2 * kLeaf);
  EXPECT_EQ(exposed(), 2 * kLeaf);
}

}  // namespace
}  // namespace weft
