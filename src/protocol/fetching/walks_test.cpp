// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/fetching/walks.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace weft {
namespace {

constexpr std::uint64_t kPages = 100'000;

PagesAhead ahead(std::uint64_t first, std::int64_t stride, std::uint64_t count) {
  return {PageIndex(first), stride, count};
}

class WalksTest : public testing::Test {
 protected:
  PagesAhead touch(std::uint64_t page) { return walks.touched(PageIndex(page)); }
  // Touches a page and each page that follows what that brought, as a thread does that reads on.
  std::vector<std::uint64_t> counts(std::uint64_t page, int faults) {
    std::vector<std::uint64_t> result;
    for (int fault = 0; fault < faults; ++fault) {
      const PagesAhead given = touch(page);
      EXPECT_EQ(given.first, PageIndex(page));
      result.push_back(given.count);
      page += static_cast<std::uint64_t>(given.stride) * given.count;
    }
    return result;
  }

  Walks walks{16, kPages};
};

TEST_F(WalksTest, ForwardsGrowsToTheLimit) {
  EXPECT_EQ(counts(1000, 7), (std::vector<std::uint64_t>{1, 2, 4, 8, 16, 16, 16}));
}

TEST_F(WalksTest, Backwards) {
  EXPECT_EQ(touch(1000), ahead(1000, 1, 1));
  EXPECT_EQ(touch(999), ahead(999, -1, 2));
  EXPECT_EQ(touch(997), ahead(997, -1, 4));
  EXPECT_EQ(touch(993), ahead(993, -1, 8));
}

TEST_F(WalksTest, EvenDistanceEitherWay) {
  EXPECT_EQ(touch(1000), ahead(1000, 1, 1));
  EXPECT_EQ(touch(1010), ahead(1010, 10, 1));
  EXPECT_EQ(touch(1020), ahead(1020, 10, 2));
  EXPECT_EQ(touch(1040), ahead(1040, 10, 4));
  EXPECT_EQ(touch(5000), ahead(5000, 1, 1));
  EXPECT_EQ(touch(4997), ahead(4997, -3, 1));
  EXPECT_EQ(touch(4994), ahead(4994, -3, 2));
}

TEST_F(WalksTest, SeveralAtOnce) {
  EXPECT_EQ(touch(1000).count, 1U);
  EXPECT_EQ(touch(5000).count, 1U);
  EXPECT_EQ(touch(9000).count, 1U);
  EXPECT_EQ(touch(1001).count, 2U);
  EXPECT_EQ(touch(5001).count, 2U);
  EXPECT_EQ(touch(8999), ahead(8999, -1, 2));
  EXPECT_EQ(touch(1003).count, 4U);
  EXPECT_EQ(touch(5003).count, 4U);
  EXPECT_EQ(touch(8997), ahead(8997, -1, 4));
}

TEST_F(WalksTest, RandomFaultsBringOnePageEach) {
  for (std::uint64_t i = 1; i < 200; ++i) EXPECT_EQ(touch(i * 7919 % kPages).count, 1U) << i;
}

TEST_F(WalksTest, TheNextPagesAreDueInTheLastHalf) {
  counts(1000, 3);  // 1000 | 1001 1002 | 1003 to 1006
  EXPECT_EQ(walks.reached(PageIndex(1004)), std::nullopt);
  EXPECT_EQ(walks.reached(PageIndex(1005)), ahead(1007, 1, 8));
  EXPECT_EQ(walks.reached(PageIndex(1006)), std::nullopt);  // not in what was given last
  EXPECT_EQ(walks.reached(PageIndex(1011)), ahead(1015, 1, 16));
  EXPECT_EQ(walks.reached(PageIndex(1011)), std::nullopt);
  EXPECT_EQ(walks.reached(PageIndex(50)), std::nullopt);
}

TEST_F(WalksTest, APageThatWasLeftOutDoesNotEndTheWalk) {
  counts(1000, 4);  // the last: 1007 to 1014
  EXPECT_EQ(touch(1010), ahead(1010, 1, 5));
  EXPECT_EQ(touch(1015), ahead(1015, 1, 16));
  // Back where it has been before, it is another walk.
  EXPECT_EQ(touch(1008).count, 1U);
}

TEST_F(WalksTest, StaysInTheRegion) {
  EXPECT_EQ(touch(1).count, 1U);
  EXPECT_EQ(touch(0), ahead(0, -1, 1));
  counts(kPages - 4, 2);
  EXPECT_EQ(touch(kPages - 1), ahead(kPages - 1, 1, 1));
  EXPECT_EQ(walks.reached(PageIndex(kPages - 1)), std::nullopt);
}

TEST_F(WalksTest, ReachesTheFirstPageAndTheLast) {
  counts(7, 1);
  EXPECT_EQ(touch(6), ahead(6, -1, 2));
  EXPECT_EQ(touch(4), ahead(4, -1, 4));
  EXPECT_EQ(walks.reached(PageIndex(2)), ahead(0, -1, 1));
  counts(kPages - 7, 3);  // up to the last
  EXPECT_EQ(walks.reached(PageIndex(kPages - 2)), std::nullopt);
}

TEST_F(WalksTest, NoReadAheadWithALimitOfOne) {
  walks = Walks(1, kPages);
  EXPECT_EQ(counts(1000, 4), (std::vector<std::uint64_t>{1, 1, 1, 1}));
  EXPECT_EQ(touch(999).count, 1U);
  EXPECT_EQ(walks.reached(PageIndex(1003)), std::nullopt);
}

}  // namespace
}  // namespace weft
