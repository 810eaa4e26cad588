// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pages that are unmapped and mapped again while no thread of the program runs: they stay where
// they are, and nothing else differs.
#include <gtest/gtest.h>

#include "memory/diffs/diff.hpp"
#include "memory/pages/memory_test_node.hpp"

namespace weft {
namespace {

constexpr PageRange kPages{PageIndex(2), 3};  // fewer than are sealed
constexpr PageIndex kPage(3);

class EveryBackEndInAPause : public testing::TestWithParam<NamedBackEnd> {
 protected:
  void SetUp() override {
    node.memory().map_tracked(kPages, Twin::kPresent);
    node.write(kPage, 5, 1);
    EXPECT_EQ(collect(), (PageSet{{kPage, 1}}));
    faults_before = node.faults;
  }
  WatchedMemory& memory() { return node.memory(); }
  void replace(PageIndex page, std::uint8_t value) {
    memory().drop({page, 1});
    memory().install(page, Bytes(kPageBytes, static_cast<std::byte>(value)));
    memory().map_tracked({page, 1}, Twin::kPresent);
  }
  PageSet collect() {
    const std::lock_guard guard(node.lock);
    PageSet written;
    memory().collect_written(kPages, written);
    return written;
  }

  TestNode node{GetParam().back_end, 64};
  int faults_before = 0;
};

TEST_P(EveryBackEndInAPause, APageIsReplacedWithoutAFault) {
  memory().begin_pause();
  memory().unmap(kPages);
  replace(kPage, 42);
  memory().end_pause();
  EXPECT_EQ(node.read(kPage, 5), 42);
  EXPECT_EQ(node.read(kPage, 4000), 42);
  EXPECT_EQ(node.faults, faults_before);
  EXPECT_EQ(memory().counters().pages_replaced, 1U);
}

TEST_P(EveryBackEndInAPause, WhatIsNotReplacedIsGoneAfterwards) {
  memory().begin_pause();
  memory().unmap(kPages);
  replace(kPage, 42);
  memory().end_pause();
  EXPECT_EQ(node.absent_faults, 0);
  EXPECT_EQ(node.read(PageIndex(4), 0), 0);
  EXPECT_EQ(node.absent_faults, 1);
}

TEST_P(EveryBackEndInAPause, TheDiffOfWhatWasWrittenBeforeIsMade) {
  memory().begin_pause();
  memory().unmap(kPages);
  const Bytes diff = memory().make_diff(kPage);
  Bytes page(kPageBytes);
  ASSERT_TRUE(apply_diff(diff, page.data()));
  EXPECT_EQ(page[5], std::byte{1});
  EXPECT_TRUE(memory().make_diff(PageIndex(2)).empty());
  memory().end_pause();
}

TEST_P(EveryBackEndInAPause, AReplacedPageIsUnwrittenAndWatched) {
  memory().begin_pause();
  memory().unmap(kPages);
  replace(kPage, 42);
  memory().end_pause();
  EXPECT_TRUE(collect().empty());
  node.write(kPage, 7, 43);
  EXPECT_EQ(collect(), (PageSet{{kPage, 1}}));
  Bytes page(kPageBytes, std::byte{42});
  const std::lock_guard guard(node.lock);
  ASSERT_TRUE(apply_diff(memory().make_diff(kPage), page.data()));
  EXPECT_EQ(page[7], std::byte{43});
  EXPECT_EQ(page[6], std::byte{42});
}

TEST_P(EveryBackEndInAPause, APageThatIsMappedUntrackedIsNotWatched) {
  memory().begin_pause();
  memory().unmap(kPages);
  memory().drop(kPages);
  memory().map_untracked(kPages);
  memory().end_pause();
  node.write(kPage, 7, 43);
  EXPECT_EQ(node.faults, faults_before);
  EXPECT_TRUE(collect().empty());
}

INSTANTIATE_TEST_SUITE_P(Memory, EveryBackEndInAPause, testing::ValuesIn(testable_back_ends()),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace weft
