// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pages that count as written from the start, as a thread is about to overwrite them.
#include <gtest/gtest.h>

#include <cstring>
#include <string_view>

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
  EXPECT_EQ(changed_bytes(node.diff(kPage)), kPageBytes);
  EXPECT_TRUE(node.diff(kPage).empty());
  node.write(kPage, 100, 5);
  EXPECT_TRUE(collect().contains(kPage));
  EXPECT_EQ(changed_bytes(node.diff(kPage)), 1U);
}

TEST_P(EveryBackEndOverwriting, TheDiffOfAPageThatWasTakenAwayHasAllOfIt) {
  map_written(kPages, Twin::kUnlike);
  fill(3);
  {
    const std::lock_guard guard(node.lock);
    node.memory().unmap(kPages);
  }
  const Bytes all = node.diff(kPage);
  Bytes page(kPageBytes);
  ASSERT_TRUE(apply_diff(all, page.data()));
  EXPECT_EQ(page, Bytes(kPageBytes, std::byte{3}));
  EXPECT_TRUE(node.diff(kPage).empty());
}

// Of what was mapped, too, and what it had been compared with is forgotten.
TEST_P(EveryBackEndOverwriting, PagesThatAreThereAreOpened) {
  fill(1);  // each is brought by a fault
  EXPECT_EQ(collect(), PageSet{kPages});
  EXPECT_EQ(changed_bytes(node.diff(kPage)), kPageBytes);
  map_written(kPages, Twin::kUnlike);
  const int faults = node.faults;
  fill(2);
  EXPECT_EQ(node.faults, faults);
  EXPECT_EQ(collect(), PageSet{kPages});
  EXPECT_EQ(changed_bytes(node.diff(kPage)), kPageBytes);
}

// Each time anew: from then on their first writes are noticed.
TEST_P(EveryBackEndOverwriting, PagesThatWereFoundAreOpenedAgain) {
  map_written(kPages, Twin::kUnlike);
  EXPECT_EQ(collect(), PageSet{kPages});
  EXPECT_EQ(changed_bytes(node.diff(kPage)), kPageBytes);
  map_written(kPages, Twin::kUnlike);
  map_written(kPages, Twin::kUnlike);
  EXPECT_EQ(collect(), PageSet{kPages});
  EXPECT_EQ(changed_bytes(node.diff(kPage)), kPageBytes);
}

TEST_P(EveryBackEndOverwriting, InitialContentsAreComparedWithAsEver) {
  map_written(kPages, Twin::kInitial);
  node.write(kPage, 17, 4);
  EXPECT_EQ(collect(), PageSet{kPages});
  EXPECT_EQ(changed_bytes(node.diff(kPage)), 1U);
}

// Between two epochs no twins are made of them: they may be overwritten whole again.
TEST_P(EveryBackEndOverwriting, PagesOfWhichADiffWasMadeInAPauseAreWatched) {
  constexpr PageRange kMany{PageIndex(4), 40};
  map_written(kMany, Twin::kUnlike);
  fill(6);
  EXPECT_EQ(collect(), PageSet{kMany});
  node.memory().begin_pause();
  for (PageIndex page = kMany.first; page < kMany.end(); ++page) {
    EXPECT_EQ(changed_bytes(node.memory().make_diff(page)), kPageBytes);
  }
  node.memory().end_pause();
  if (std::string_view(GetParam().name) == "UffdAsyncSignal") {
    EXPECT_EQ(node.memory().twin(kPage).data(), node.memory().contents(kPage).data());
  }
  EXPECT_TRUE(collect().empty());
  node.write(kPage, 100, 5);
  node.write(PageIndex(40), 7, 9);
  EXPECT_EQ(collect(), (PageSet{{kPage, 1}, {PageIndex(40), 1}}));
  EXPECT_EQ(changed_bytes(node.diff(kPage)), 1U);
  EXPECT_TRUE(node.diff(kPage).empty());
}

TEST_P(EveryBackEndOverwriting, PagesThatWereSealedAreOpenedWithoutAFault) {
  constexpr PageRange kMany{PageIndex(4), 40};
  for (int turn = 0; turn < 3; ++turn) {
    map_written(kMany, Twin::kUnlike);
    const int faults = node.faults;
    fill(static_cast<std::uint8_t>(turn));
    EXPECT_EQ(node.faults, faults);
    EXPECT_EQ(collect(), PageSet{kMany});
    node.memory().begin_pause();
    for (PageIndex page = kMany.first; page < kMany.end(); ++page) {
      EXPECT_EQ(changed_bytes(node.memory().make_diff(page)), kPageBytes);
    }
    node.memory().end_pause();
  }
  // Some of them alone: the others stay as they were.
  map_written({PageIndex(20), 8}, Twin::kUnlike);
  node.write(PageIndex(27), 1, 77);
  node.write(PageIndex(28), 1, 77);
  const PageSet written = collect();
  EXPECT_TRUE(written.intersection({PageIndex(20), 9}) == std::vector{PageRange(PageIndex(20), 9)});
  EXPECT_EQ(written.page_count(), 9U);
  EXPECT_EQ(changed_bytes(node.memory().make_diff(PageIndex(27))), kPageBytes);
  EXPECT_EQ(changed_bytes(node.memory().make_diff(PageIndex(28))), 1U);
}

INSTANTIATE_TEST_SUITE_P(Memory, EveryBackEndOverwriting, testing::ValuesIn(testable_back_ends()),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace weft
