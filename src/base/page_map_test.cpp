// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/page_map.hpp"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "base/numbers/random.hpp"

namespace weft {
namespace {

TEST(PageMap, AgreesWithPlainMap) {
  Random random(3);
  PageMap<std::vector<int>> pages;
  std::map<PageIndex, std::vector<int>> plain;
  for (int step = 0; step < 20'000; ++step) {
    const PageIndex page(random.below(200) + (random.below(2) << 40));
    switch (random.below(4)) {
      case 0:
        pages[page].push_back(step);
        plain[page].push_back(step);
        break;
      case 1:
        pages.erase(page);
        plain.erase(page);
        break;
      default:
        break;
    }
    const auto known = plain.find(page);
    ASSERT_EQ(pages.contains(page), known != plain.end()) << "step " << step;
    if (known != plain.end()) ASSERT_EQ(*pages.find(page), known->second) << "step " << step;
    ASSERT_EQ(pages.size(), plain.size());
  }
}

TEST(PageMap, ValuesStayWhereTheyAre) {
  PageMap<int> pages;
  int* const first = &(pages[PageIndex(5)] = 7);
  for (std::uint64_t page = 6; page < 1000; ++page) pages[PageIndex(page)] = 1;
  for (std::uint64_t page = 6; page < 1000; ++page) pages.erase(PageIndex(page));
  EXPECT_EQ(pages.find(PageIndex(5)), first);
  EXPECT_EQ(*first, 7);
}

}  // namespace
}  // namespace weft
