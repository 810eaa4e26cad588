// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/accesses/blocks.hpp"

#include <gmock/gmock.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace weft {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Stretch = std::pair<std::uintptr_t, std::uintptr_t>;

constexpr std::uintptr_t kPage = kPageBytes;
constexpr std::uintptr_t kFirst = 16 * kPage;

std::vector<Stretch> pages(const Blocks& blocks) {
  std::vector<Stretch> runs;
  blocks.for_each_run_of_pages(
      [&](std::uintptr_t first, std::uintptr_t end) { runs.emplace_back(first, end); });
  return runs;
}

std::vector<Stretch> whole_pages(const Blocks& blocks) {
  std::vector<Stretch> runs;
  blocks.for_each_run_of_whole_pages(
      [&](std::uintptr_t first, std::uintptr_t end) { runs.emplace_back(first, end); });
  return runs;
}

TEST(Blocks, WithoutBytesAreNone) {
  for (const auto& [bytes, count] : {std::pair{0, 5}, std::pair{5, 0}}) {
    const auto blocks = Blocks::of(kFirst, bytes, 1, count);
    ASSERT_TRUE(blocks);
    EXPECT_TRUE(blocks->empty());
    EXPECT_THAT(pages(*blocks), IsEmpty());
    EXPECT_THAT(whole_pages(*blocks), IsEmpty());
  }
}

TEST(Blocks, MayTouchButNotOverlap) {
  EXPECT_FALSE(Blocks::of(kFirst, 16, 15, 2));
  EXPECT_FALSE(Blocks::of(kFirst, 16, 0, 2));
  EXPECT_TRUE(Blocks::of(kFirst, 16, 0, 1));
  const auto touching = Blocks::of(kFirst, kPage / 2, kPage / 2, 4);
  ASSERT_TRUE(touching);
  EXPECT_EQ(touching->count, 1U);
  EXPECT_THAT(whole_pages(*touching), ElementsAre(Stretch(kFirst, kFirst + 2 * kPage)));
}

TEST(Blocks, EndBeforeTheLastAddress) {
  constexpr std::size_t kMost = SIZE_MAX;
  EXPECT_FALSE(Blocks::of(kFirst, kMost, 0, 1));
  EXPECT_FALSE(Blocks::of(kFirst, 1, kMost / 2, 4));
  EXPECT_FALSE(Blocks::of(kMost - 7, 8, 8, 2));
  EXPECT_TRUE(Blocks::of(kMost - 8, 8, 0, 1));
}

TEST(Blocks, OneHasThePagesOfItsBytes) {
  const auto blocks = Blocks::of(kFirst + 100, 2 * kPage, 0, 1);
  EXPECT_THAT(pages(*blocks), ElementsAre(Stretch(kFirst, kFirst + 3 * kPage)));
  EXPECT_THAT(whole_pages(*blocks), ElementsAre(Stretch(kFirst + kPage, kFirst + 2 * kPage)));
  EXPECT_EQ(blocks->end(), kFirst + 100 + 2 * kPage);
}

TEST(Blocks, OfWholePagesHaveNoOthers) {
  const auto blocks = Blocks::of(kFirst, 2 * kPage, 0, 1);
  EXPECT_THAT(pages(*blocks), ElementsAre(Stretch(kFirst, kFirst + 2 * kPage)));
  EXPECT_THAT(whole_pages(*blocks), ElementsAre(Stretch(kFirst, kFirst + 2 * kPage)));
}

TEST(Blocks, InOnePageHaveItOnce) {
  EXPECT_THAT(pages(*Blocks::of(kFirst, 8, 16, 10)), ElementsAre(Stretch(kFirst, kFirst + kPage)));
}

// A gap of less than a page holds none.
TEST(Blocks, WithSmallGapsAreOneRun) {
  const auto blocks = Blocks::of(kFirst, kPage, 2 * kPage - 1, 3);
  EXPECT_THAT(pages(*blocks), ElementsAre(Stretch(kFirst, kFirst + 5 * kPage)));
  EXPECT_THAT(whole_pages(*blocks), ElementsAre(Stretch(kFirst, kFirst + kPage)));
}

TEST(Blocks, WithLargeGapsAreARunEach) {
  const auto blocks = Blocks::of(kFirst, 8, 3 * kPage, 3);
  EXPECT_THAT(pages(*blocks), ElementsAre(Stretch(kFirst, kFirst + kPage),
                                          Stretch(kFirst + 3 * kPage, kFirst + 4 * kPage),
                                          Stretch(kFirst + 6 * kPage, kFirst + 7 * kPage)));
}

// The page between two of them belongs to neither, or to both.
TEST(Blocks, WithGapsOfAPageMeetWhereTheyAreNotAligned) {
  const auto blocks = Blocks::of(kFirst + 100, 8, 8 + kPage, 2);
  EXPECT_THAT(pages(*blocks), ElementsAre(Stretch(kFirst, kFirst + 2 * kPage)));
}

TEST(Blocks, HaveWholePagesEach) {
  const auto blocks = Blocks::of(kFirst, 2 * kPage + 8, 4 * kPage, 2);
  EXPECT_THAT(whole_pages(*blocks), ElementsAre(Stretch(kFirst, kFirst + 2 * kPage),
                                                Stretch(kFirst + 4 * kPage, kFirst + 6 * kPage)));
}

}  // namespace
}  // namespace weft
