// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "memory/search/quiet_stretches.hpp"

#include <gtest/gtest.h>

#include "memory/pages/memory_test_node.hpp"

namespace weft {
namespace {

constexpr std::uint64_t kStretch = SealedPages::kStretchPages;

PageRange stretches(std::uint64_t first, std::uint64_t count) {
  return {PageIndex(first * kStretch), count * kStretch};
}

void look(QuietStretches& quiet, PageRange pages, const PageSet& written, unsigned times) {
  for (unsigned i = 0; i < times; ++i) EXPECT_TRUE(quiet.note(pages, written).empty());
}

TEST(QuietStretches, AreThoseNeverFoundWritten) {
  QuietStretches quiet;
  const PageSet written{{PageIndex(3 * kStretch + 7), 1}};
  look(quiet, stretches(1, 5), written, QuietStretches::kQuietLooks - 1);
  EXPECT_EQ(quiet.note(stretches(1, 5), written),
            (std::vector<PageRange>{stretches(1, 2), stretches(4, 2)}));
}

TEST(QuietStretches, AreCountedFromTheLastWriteOn) {
  QuietStretches quiet;
  look(quiet, stretches(0, 1), {}, QuietStretches::kQuietLooks - 1);
  look(quiet, stretches(0, 1), {{PageIndex(0), 1}}, 1);
  look(quiet, stretches(0, 1), {}, QuietStretches::kQuietLooks - 1);
  EXPECT_EQ(quiet.note(stretches(0, 1), {}).size(), 1U);
}

TEST(QuietStretches, TakeTwiceAsLongOnceTheyWereOpened) {
  QuietStretches quiet;
  quiet.note_opened({PageIndex(kStretch - 1), 1});
  look(quiet, stretches(0, 1), {}, 2 * QuietStretches::kQuietLooks - 1);
  EXPECT_EQ(quiet.note(stretches(0, 1), {}).size(), 1U);
}

TEST(QuietStretches, AreWhole) {
  QuietStretches quiet;
  const PageRange all_but_ends{PageIndex(1), 2 * kStretch - 2};
  look(quiet, all_but_ends, {}, 3 * QuietStretches::kQuietLooks);
}

void note_complete(QuietStretches& quiet, unsigned times) {
  for (unsigned i = 0; i < times; ++i) quiet.note_complete();
}

TEST(QuietStretches, NeedNotBeLookedAtWhereAllThatWasWrittenWasElsewhere) {
  QuietStretches quiet;
  look(quiet, stretches(0, 2), {}, 1);
  note_complete(quiet, QuietStretches::kQuietLooks - 2);
  EXPECT_EQ(quiet.note(stretches(0, 2), {{PageIndex(0), 1}}),
            (std::vector<PageRange>{stretches(1, 1)}));
  // The first one was written: it begins anew.
  note_complete(quiet, QuietStretches::kQuietLooks - 2);
  look(quiet, stretches(0, 1), {}, 1);
  EXPECT_EQ(quiet.note(stretches(0, 1), {}).size(), 1U);
}

TEST(QuietStretches, AreNotQuietFromBeforeTheyWereLookedAtFirst) {
  QuietStretches quiet;
  note_complete(quiet, 2 * QuietStretches::kQuietLooks);
  look(quiet, stretches(0, 1), {}, 1);
}

class EveryBackEndWithMuchMemory : public testing::TestWithParam<NamedBackEnd> {
 protected:
  static constexpr PageRange kAll{PageIndex(0), 4 * kStretch};

  void SetUp() override {
    const std::lock_guard guard(node.lock);
    node.memory().map_tracked(kAll, Twin::kNone);
  }
  PageSet collect() {
    const std::lock_guard guard(node.lock);
    PageSet written;
    node.memory().collect_written(kAll, written);
    return written;
  }
  std::uint64_t searched_by_one_look() {
    const std::uint64_t before = node.memory().counters().pages_searched;
    EXPECT_TRUE(collect().empty());
    return node.memory().counters().pages_searched - before;
  }

  TestNode node{GetParam().back_end, kAll.count};
};

TEST_P(EveryBackEndWithMuchMemory, WhatIsQuietIsNotSearched) {
  const WatcherTraits& traits = node.memory().watcher().traits();
  EXPECT_EQ(searched_by_one_look(), traits.traps_writes ? 0 : kAll.count);
  for (unsigned i = 0; i < QuietStretches::kQuietLooks; ++i) EXPECT_TRUE(collect().empty());
  EXPECT_EQ(searched_by_one_look(), traits.traps_writes || traits.seals ? 0 : kAll.count);
}

TEST_P(EveryBackEndWithMuchMemory, WritesToWhatWasQuietAreFound) {
  for (unsigned i = 0; i < 2 * QuietStretches::kQuietLooks; ++i) EXPECT_TRUE(collect().empty());
  const PageIndex page(2 * kStretch + 3);
  node.write(page, 9, 1);
  EXPECT_EQ(collect(), (PageSet{{page, 1}}));
  EXPECT_TRUE(collect().empty());
  node.write(page, 9, 2);
  node.write(PageIndex(0), 9, 2);
  EXPECT_EQ(collect(), (PageSet{{page, 1}, {PageIndex(0), 1}}));
}

// Every second page is this node's alone, and not searched.
class EveryBackEndWithPieces : public EveryBackEndWithMuchMemory {
 protected:
  void SetUp() override {
    EveryBackEndWithMuchMemory::SetUp();
    const std::lock_guard guard(node.lock);
    for (std::uint64_t page = 1; page < kAll.count; page += 2) {
      node.memory().map_untracked({PageIndex(page), 1});
    }
  }
};

TEST_P(EveryBackEndWithPieces, WhatIsQuietIsNotSearched) {
  const WatcherTraits& traits = node.memory().watcher().traits();
  EXPECT_EQ(searched_by_one_look(), traits.traps_writes ? 0 : kAll.count / 2);
  for (unsigned i = 0; i < QuietStretches::kQuietLooks; ++i) EXPECT_TRUE(collect().empty());
  // The last page, which is not tracked, belongs to no piece; so neither does its stretch.
  EXPECT_EQ(searched_by_one_look(), traits.traps_writes ? 0
                                    : traits.seals      ? kStretch / 2
                                                        : kAll.count / 2);
}

TEST_P(EveryBackEndWithPieces, WritesToWhatWasQuietAreFound) {
  for (unsigned i = 0; i < 2 * QuietStretches::kQuietLooks; ++i) EXPECT_TRUE(collect().empty());
  const PageIndex tracked(kStretch + 4), own(2 * kStretch + 3);
  node.write(own, 9, 1);
  EXPECT_TRUE(collect().empty());
  node.write(tracked, 9, 1);
  node.write(own, 9, 2);
  EXPECT_EQ(collect(), (PageSet{{tracked, 1}}));
}

TEST_P(EveryBackEndWithPieces, PagesThatBecomeTrackedLaterAreWatched) {
  for (unsigned i = 0; i < 2 * QuietStretches::kQuietLooks; ++i) EXPECT_TRUE(collect().empty());
  const PageIndex page(kStretch + 1);
  {
    const std::lock_guard guard(node.lock);
    node.memory().start_tracking({page, 1}, Twin::kPresent);
  }
  EXPECT_TRUE(collect().empty());
  node.write(page, 9, 1);
  EXPECT_EQ(collect(), (PageSet{{page, 1}}));
}

INSTANTIATE_TEST_SUITE_P(Memory, EveryBackEndWithPieces, testing::ValuesIn(testable_back_ends()),
                         [](const auto& instance) { return instance.param.name; });
INSTANTIATE_TEST_SUITE_P(Memory, EveryBackEndWithMuchMemory,
                         testing::ValuesIn(testable_back_ends()),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace weft
