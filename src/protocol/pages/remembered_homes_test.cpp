// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/pages/remembered_homes.hpp"

#include <gtest/gtest.h>

#include <map>

#include "base/numbers/random.hpp"

namespace weft {
namespace {

HomeFacts at(std::uint16_t home) { return {NodeId(home), NodeId(home), kNoNode}; }
PageRange pages(std::uint64_t first, std::uint64_t count) { return {PageIndex(first), count}; }

TEST(RememberedHomes, JoinsNeighboursThatHaveTheSame) {
  RememberedHomes homes(2);
  homes.set(pages(0, 4), at(1));
  homes.set(pages(8, 4), at(1));
  homes.set(pages(4, 4), at(1));
  const std::vector<HomeRun> all = {{pages(0, 12), at(1)}};
  EXPECT_EQ(homes.within(pages(0, 100)), all);
}

TEST(RememberedHomes, ForgetTheEndOfARun) {
  RememberedHomes homes(4);
  homes.set(pages(4, 4), at(1));
  homes.forget(pages(6, 2));
  EXPECT_EQ(homes.within(pages(0, 100)), (std::vector<HomeRun>{{pages(4, 2), at(1)}}));
  homes.forget(pages(4, 1));
  EXPECT_EQ(homes.within(pages(0, 100)), (std::vector<HomeRun>{{pages(5, 1), at(1)}}));
}

TEST(RememberedHomes, LetsTheShortestRunGo) {
  RememberedHomes homes(2);
  homes.set(pages(0, 4), at(1));
  homes.set(pages(4, 2), at(2));
  homes.set(pages(6, 3), at(3));
  EXPECT_FALSE(homes.find(PageIndex(5)));
  EXPECT_EQ(homes.find(PageIndex(3)), at(1));
  EXPECT_EQ(homes.find(PageIndex(8)), at(3));
}

TEST(RememberedHomes, RemembersNothingWithoutRoom) {
  RememberedHomes homes(0);
  homes.set(pages(0, 4), at(1));
  EXPECT_FALSE(homes.find(PageIndex(0)));
}

// Against a map from page to home: with room enough nothing is lost, and nothing is ever wrong.
void compare_with_map(std::size_t limit) {
  Random random(limit);
  RememberedHomes homes(limit);
  std::map<std::uint64_t, HomeFacts> expected;
  for (int step = 0; step < 3000; ++step) {
    const PageRange range = pages(random.below(60), 1 + random.below(9));
    const bool sets = random.chance(70);
    const HomeFacts facts = at(static_cast<std::uint16_t>(random.below(3)));
    if (sets) homes.set(range, facts);
    if (!sets) homes.forget(range);
    for (std::uint64_t page = range.first.value(); page < range.end().value(); ++page) {
      expected.erase(page);
      if (sets) expected[page] = facts;
    }
    for (std::uint64_t page = 0; page < 70; ++page) {
      const auto known = homes.find(PageIndex(page));
      const auto place = expected.find(page);
      if (limit >= 70) ASSERT_EQ(known.has_value(), place != expected.end()) << "step " << step;
      if (known) ASSERT_EQ(*known, place->second) << "step " << step;
    }
    ASSERT_LE(homes.within(pages(0, 70)).size(), limit);
  }
}

TEST(RememberedHomes, AreRight) { compare_with_map(100); }
TEST(RememberedHomes, AreRightWithLittleRoom) { compare_with_map(3); }

}  // namespace
}  // namespace weft
