// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/page_range.hpp"

#include <gtest/gtest.h>

#include <set>

#include "base/numbers/random.hpp"

namespace weft {
namespace {

PageRange range(std::uint64_t first, std::uint64_t count) {
  return PageRange{PageIndex(first), count};
}

TEST(PageSet, MergesNeighboursAndSplitsOnErase) {
  PageSet set{range(1, 2), range(3, 1), range(10, 5)};
  EXPECT_EQ(set.ranges(), (std::vector<PageRange>{range(1, 3), range(10, 5)}));
  set.erase(range(11, 2));
  EXPECT_EQ(set.ranges(), (std::vector<PageRange>{range(1, 3), range(10, 1), range(13, 2)}));
  EXPECT_EQ(set.intersection(range(2, 9)), (std::vector<PageRange>{range(2, 2), range(10, 1)}));
  EXPECT_EQ(set.outside(range(2, 9)), (std::vector<PageRange>{range(4, 6)}));
  EXPECT_EQ(set.outside(range(0, 14)),
            (std::vector<PageRange>{range(0, 1), range(4, 6), range(11, 2)}));
  EXPECT_TRUE(set.outside(range(1, 3)).empty());
}

// The set of ranges agrees with a plain set of pages under random inserts and erases.
TEST(PageSet, AgreesWithPlainSet) {
  Random random(7);
  PageSet ranges;
  std::set<std::uint64_t> plain;
  for (int step = 0; step < 20000; ++step) {
    const std::uint64_t first = random.below(200);
    const std::uint64_t count = random.below(12);
    const bool insert = random.below(2) == 0;
    if (insert) ranges.insert(range(first, count));
    if (!insert) ranges.erase(range(first, count));
    for (std::uint64_t page = first; page < first + count; ++page) {
      if (insert) plain.insert(page);
      if (!insert) plain.erase(page);
    }
    ASSERT_EQ(ranges.page_count(), plain.size());
    const std::uint64_t probe = random.below(220);
    ASSERT_EQ(ranges.contains(PageIndex(probe)), plain.contains(probe));
  }
}

}  // namespace
}  // namespace weft
