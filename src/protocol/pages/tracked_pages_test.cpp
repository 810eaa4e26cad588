// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/pages/tracked_pages.hpp"

#include <gtest/gtest.h>

#include "base/numbers/random.hpp"

namespace weft {
namespace {

constexpr std::uint64_t kGap = TrackedPages::kGapPages;

PageRange range(std::uint64_t first, std::uint64_t count) { return {PageIndex(first), count}; }

TEST(TrackedPages, AreOneStretchWithSmallGaps) {
  TrackedPages pages;
  pages.insert(range(10, 2));
  pages.insert(range(12 + kGap, 1));
  EXPECT_EQ(pages.stretches(), (std::vector<PageRange>{range(10, kGap + 3)}));
  pages.insert(range(14 + 2 * kGap, 5));  // one page too far
  EXPECT_EQ(pages.stretches(),
            (std::vector<PageRange>{range(10, kGap + 3), range(14 + 2 * kGap, 5)}));
}

TEST(TrackedPages, FallApartWhenWhatIsBetweenGoes) {
  TrackedPages pages;
  pages.insert(range(0, 1));
  pages.insert(range(200, 1));
  pages.insert(range(400, 1));
  EXPECT_EQ(pages.stretches(), (std::vector<PageRange>{range(0, 401)}));
  pages.erase(range(200, 1));
  EXPECT_EQ(pages.stretches(), (std::vector<PageRange>{range(0, 1), range(400, 1)}));
  pages.erase(range(0, 1000));
  EXPECT_TRUE(pages.stretches().empty());
}

// The same by way of the set of pages.
std::vector<PageRange> stretches_of(const PageSet& pages) {
  std::vector<PageRange> result;
  for (const PageRange& run : pages.ranges()) {
    if (!result.empty() && run.first.value() <= result.back().end().value() + kGap) {
      result.back().count = run.end().value() - result.back().first.value();
    } else {
      result.push_back(run);
    }
  }
  return result;
}

TEST(TrackedPages, AgreeWithASetThatIsGoneThrough) {
  Random random(11);
  TrackedPages pages;
  PageSet set;
  for (int step = 0; step < 20'000; ++step) {
    const PageRange run = range(random.below(6000), random.below(random.below(4) == 0 ? 900 : 9));
    if (random.below(2) == 0) {
      pages.insert(run);
      set.insert(run);
    } else {
      pages.erase(run);
      set.erase(run);
    }
    ASSERT_EQ(pages.stretches(), stretches_of(set)) << "step " << step;
  }
}

}  // namespace
}  // namespace weft
