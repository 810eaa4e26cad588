// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pages that count as written from the start, as a thread is about to overwrite them.
#include <gtest/gtest.h>

#include <cstring>

#include "memory/diffs/diff.hpp"
#include "memory/pages/memory_test_node.hpp"

namespace weft {
namespace {

constexpr PageRange kPages{PageIndex(8), 4};
constexpr PageIndex kPage(9);

class EveryBackEndOverwriting : public testing::TestWithParam<NamedBackEnd> {
 protected:
  void map_written(PageRange pages, Twin twin) {
    const std::lock_guard guard(node.lock);
    node.memory().map_written(pages, twin);
  }
  PageSet collect() {
    const std::lock_guard guard(node.lock);
    PageSet written;
    node.memory().collect_written({PageIndex(0), 64}, written);
    return written;
  }
  Bytes diff() {
    const std::lock_guard guard(node.lock);
    return node.memory().make_diff(kPage);
  }
  void fill(std::uint8_t value) {
    for (PageIndex page = kPages.first; page < kPages.end(); ++page) {
      std::memset(node.program(page), value, kPageBytes);
    }
  }

  TestNode node{GetParam().back_end, 64};
};

TEST_P(EveryBackEndOverwriting, AreWrittenWithoutAFault) {
  map_written(kPages, Twin::kUnlike);
  fill(7);
  EXPECT_EQ(node.faults, 0);
  EXPECT_EQ(collect(), PageSet{kPages});
}

TEST_P(EveryBackEndOverwriting, CountAsWrittenBeforeTheyAre) {
  map_written(kPages, Twin::kNone);
  EXPECT_EQ(collect(), PageSet{kPages});
  EXPECT_TRUE(collect().empty());
}

TEST_P(EveryBackEndOverwriting, TheFirstDiffHasAllOfThePageAndTheNextOneWhatChanged) {
  map_written(kPages, Twin::kUnlike);
  fill(0);  // what the page may have held anyhow
  EXPECT_TRUE(collect().contains(kPage));
  EXPECT_EQ(changed_bytes(diff()), kPageBytes);
  EXPECT_TRUE(diff().empty());
  node.write(kPage, 100, 5);
  EXPECT_TRUE(collect().contains(kPage));
  EXPECT_EQ(changed_bytes(diff()), 1U);
}

TEST_P(EveryBackEndOverwriting, TheDiffOfAPageThatWasTakenAwayHasAllOfIt) {
  map_written(kPages, Twin::kUnlike);
  fill(3);
  {
    const std::lock_guard guard(node.lock);
    node.memory().unmap(kPages);
  }
  const Bytes all = diff();
  Bytes page(kPageBytes);
  ASSERT_TRUE(apply_diff(all, page.data()));
  EXPECT_EQ(page, Bytes(kPageBytes, std::byte{3}));
  EXPECT_TRUE(diff().empty());
}

// Of what was mapped, too, and what it had been compared with is forgotten.
TEST_P(EveryBackEndOverwriting, PagesThatAreThereAreOpened) {
  fill(1);  // each is brought by a fault
  EXPECT_EQ(collect(), PageSet{kPages});
  EXPECT_EQ(changed_bytes(diff()), kPageBytes);
  map_written(kPages, Twin::kUnlike);
  const int faults = node.faults;
  fill(2);
  EXPECT_EQ(node.faults, faults);
  EXPECT_EQ(collect(), PageSet{kPages});
  EXPECT_EQ(changed_bytes(diff()), kPageBytes);
}

// Each time anew: from then on their first writes are noticed.
TEST_P(EveryBackEndOverwriting, PagesThatWereFoundAreOpenedAgain) {
  map_written(kPages, Twin::kUnlike);
  EXPECT_EQ(collect(), PageSet{kPages});
  EXPECT_EQ(changed_bytes(diff()), kPageBytes);
  map_written(kPages, Twin::kUnlike);
  map_written(kPages, Twin::kUnlike);
  EXPECT_EQ(collect(), PageSet{kPages});
  EXPECT_EQ(changed_bytes(diff()), kPageBytes);
}

TEST_P(EveryBackEndOverwriting, InitialContentsAreComparedWithAsEver) {
  map_written(kPages, Twin::kInitial);
  node.write(kPage, 17, 4);
  EXPECT_EQ(collect(), PageSet{kPages});
  EXPECT_EQ(changed_bytes(diff()), 1U);
}

INSTANTIATE_TEST_SUITE_P(Memory, EveryBackEndOverwriting, testing::ValuesIn(testable_back_ends()),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace weft
