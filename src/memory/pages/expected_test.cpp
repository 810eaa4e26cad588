// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pages that a thread is about to write: their first writes are no faults, and nothing is lost.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstring>

#include "memory/diffs/diff.hpp"
#include "memory/pages/memory_test_node.hpp"

namespace weft {
namespace {

constexpr PageRange kPages{PageIndex(4), 40};
constexpr PageIndex kPage(9);

class EveryBackEndExpecting : public testing::TestWithParam<NamedBackEnd> {
 protected:
  std::uint64_t expect(PageRange pages) {
    const std::lock_guard guard(node.lock);
    return node.memory().expect_writes(pages);
  }
  void map(PageRange pages, Twin twin) {
    const std::lock_guard guard(node.lock);
    node.memory().map_tracked(pages, twin);
  }
  void map_untracked(PageRange pages) {
    const std::lock_guard guard(node.lock);
    node.memory().map_untracked(pages);
  }
  void start_tracking(PageRange pages, Twin twin = Twin::kNone) {
    const std::lock_guard guard(node.lock);
    node.memory().start_tracking(pages, twin);
  }
  PageSet collect() {
    const std::lock_guard guard(node.lock);
    PageSet written;
    const PageRange all{PageIndex(0), 64};
    node.memory().collect_at_rest(std::span(&all, 1), PhaseKey(), written);
    return written;
  }
  // Faults that the kernel did not settle by itself.
  std::uint64_t write_all(std::uint8_t value) { return write_all_of(kPages, value); }
  std::uint64_t write_all_of(PageRange pages, std::uint8_t value) {
    const std::uint64_t before = node.memory().counters().write_faults;
    for (PageIndex page = pages.first; page < pages.end(); ++page) node.write(page, 100, value);
    return node.memory().counters().write_faults - before;
  }

  TestNode node{GetParam().back_end, 64};
};

TEST_P(EveryBackEndExpecting, AbsentPagesAreMappedAsWritten) {
  EXPECT_EQ(expect(kPages), 0U);
  map(kPages, Twin::kPresent);
  EXPECT_EQ(write_all(7), 0U);
  EXPECT_EQ(node.faults, 0);
  EXPECT_EQ(collect(), PageSet{kPages});
  EXPECT_EQ(changed_bytes(node.diff(kPage)), 1U);
}

TEST_P(EveryBackEndExpecting, CountAsWrittenThoughNobodyWrites) {
  expect(kPages);
  map(kPages, Twin::kPresent);
  EXPECT_EQ(collect(), PageSet{kPages});
  EXPECT_TRUE(node.diff(kPage).empty());
  EXPECT_TRUE(collect().empty());
}

TEST_P(EveryBackEndExpecting, PagesThatAreThereAreOpenedOnceInEachEpoch) {
  map(kPages, Twin::kPresent);
  EXPECT_TRUE(collect().empty());
  for (std::uint8_t turn = 1; turn < 4; ++turn) {
    EXPECT_EQ(expect(kPages), kPages.count);
    EXPECT_EQ(expect(kPages), 0U);
    EXPECT_EQ(write_all(turn), 0U);
    EXPECT_EQ(node.faults, 0);
    EXPECT_EQ(collect(), PageSet{kPages});
    EXPECT_EQ(changed_bytes(node.diff(kPage)), 1U);
  }
}

// What was written before, and by whom it is not known, is in the diff as well.
TEST_P(EveryBackEndExpecting, EarlierWritesAreKept) {
  map(kPages, Twin::kPresent);
  node.write(kPage, 5, 1);
  expect(kPages);
  node.write(kPage, 9, 1);
  EXPECT_TRUE(collect().contains(kPage));
  EXPECT_EQ(changed_bytes(node.diff(kPage)), 2U);
}

// Others are watched as ever.
TEST_P(EveryBackEndExpecting, OnlyTheyCount) {
  map(kPages, Twin::kPresent);
  expect({PageIndex(10), 9});
  expect({PageIndex(30), 3});  // too few to be worth it
  node.write(PageIndex(25), 1, 3);
  EXPECT_EQ(collect(), (PageSet{{PageIndex(10), 9}, {PageIndex(25), 1}}));
}

TEST_P(EveryBackEndExpecting, WhatWasNotMappedUntilTheEpochEndedIsForgotten) {
  expect(kPages);
  EXPECT_TRUE(collect().empty());
  map(kPages, Twin::kPresent);
  EXPECT_TRUE(collect().empty());
}

TEST_P(EveryBackEndExpecting, UnwatchedPagesStaySo) {
  map_untracked(kPages);
  EXPECT_EQ(expect(kPages), 0U);
  EXPECT_TRUE(collect().empty());
}

TEST_P(EveryBackEndExpecting, UnwatchedPagesCountAsWrittenOnceTheyAreWatched) {
  map_untracked(kPages);
  expect({kPage, 8});
  start_tracking(kPages);
  EXPECT_EQ(write_all_of({kPage, 8}, 7), 0U);
  node.write(PageIndex(30), 1, 1);
  EXPECT_EQ(collect(), (PageSet{{kPage, 8}, {PageIndex(30), 1}}));
  EXPECT_TRUE(collect().empty());
}

TEST_P(EveryBackEndExpecting, UnwatchedPagesThatGetTwinsAreWatched) {
  map_untracked(kPages);
  expect(kPages);
  start_tracking(kPages, Twin::kPresent);
  EXPECT_TRUE(collect().empty());
}

TEST_P(EveryBackEndExpecting, AHomesPagesHaveNoTwins) {
  map(kPages, Twin::kNone);
  EXPECT_EQ(expect(kPages), kPages.count);
  EXPECT_EQ(collect(), PageSet{kPages});
  EXPECT_EQ(node.memory().counters().twins_held, 0U);
}

// Faults of this thread, with those that the kernel settles by itself.
long faults() {
  rusage usage = {};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_minflt;
}

TEST_P(EveryBackEndExpecting, PagesThatAreNoLongerWatchedAreOpened) {
  const bool is_mprotect = GetParam().back_end.kind == BackEnd::Kind::kMprotect;
  const std::uint64_t closed = is_mprotect ? 0 : kPages.count;
  for (const bool is_expected : {false, true}) {
    map(kPages, Twin::kNone);
    node.write(kPage, 1, 3);
    EXPECT_TRUE(collect().contains(kPage));
    map_untracked(kPages);
    if (is_expected) {
      EXPECT_EQ(expect(kPages), closed);
      EXPECT_EQ(expect(kPages), 0U);
    }
    const long before = faults();
    write_all(7);
    EXPECT_EQ(faults() - before, is_expected ? 0 : closed);
    EXPECT_EQ(node.read(kPage, 1), 3);
    EXPECT_TRUE(collect().empty());
    const std::lock_guard guard(node.lock);
    node.memory().unmap(kPages);
  }
}

INSTANTIATE_TEST_SUITE_P(Memory, EveryBackEndExpecting, testing::ValuesIn(testable_back_ends()),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace weft
