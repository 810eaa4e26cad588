// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/accesses/strided.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <vector>

#include "base/numbers/random.hpp"

namespace weft {
namespace {

constexpr std::uintptr_t kFirst = 0x10000000;

std::optional<Strided> strided(std::uint64_t bytes, const std::vector<weft_stride>& strides) {
  return Strided::of(kFirst, bytes, strides);
}

TEST(Strided, HasItsRowsAndNotTheirGaps) {
  const auto rows = strided(8, {{8, 10}, {1000, 3}});
  EXPECT_TRUE(rows->covers(kFirst, 8));
  EXPECT_TRUE(rows->covers(kFirst + 2000 + 72, 8));
  EXPECT_FALSE(rows->covers(kFirst + 2000 + 80, 1));
  EXPECT_FALSE(rows->covers(kFirst + 80, 1));
  EXPECT_FALSE(rows->covers(kFirst - 1, 1));
  EXPECT_FALSE(rows->covers(kFirst + 3000, 1));
  EXPECT_EQ(rows->extent(), 2080U);
}

TEST(Strided, APartIsNotMoreThanAnElement) {
  const auto elements = strided(8, {{24, 10}});
  EXPECT_TRUE(elements->covers(kFirst + 28, 4));
  EXPECT_FALSE(elements->covers(kFirst + 28, 8));
}

TEST(Strided, BackwardsItBeginsWhereItEnds) {
  const auto down = strided(8, {{-8, 10}});
  EXPECT_EQ(down->first, kFirst - 72);
  EXPECT_TRUE(down->covers(kFirst - 72, 8));
  EXPECT_FALSE(down->covers(kFirst + 8, 1));
}

TEST(Strided, AbsurdOnesAreNone) {
  EXPECT_FALSE(strided(0, {{8, 10}}));
  EXPECT_FALSE(strided(8, {{8, 0}}));
  EXPECT_FALSE(strided(8, {{8, std::uint64_t{1} << 44}}));
  EXPECT_FALSE(strided(8, {{INT64_MIN, 3}}));
  EXPECT_FALSE(strided(8, std::vector<weft_stride>(WEFT_MOST_STRIDES + 1, {8, 2})));
  EXPECT_FALSE(Strided::of(UINTPTR_MAX - 100, 8, std::vector<weft_stride>{{8, 20}}));
}

// Also where rows overlap, so that there are several ways to an address.
TEST(Strided, HasTheBytesThatItsLoopsGoThrough) {
  Random random(1);
  for (int turn = 0; turn < 300; ++turn) {
    const std::uint64_t bytes = 1 + random.below(12);
    std::vector<weft_stride> strides(random.below(4));
    for (weft_stride& each : strides)
      each = {static_cast<std::int64_t>(random.below(41)) - 20, 1 + random.below(4)};
    std::set<std::uintptr_t> used{kFirst};
    for (const weft_stride& each : strides) {
      std::set<std::uintptr_t> next;
      for (const std::uintptr_t at : used) {
        for (std::uint64_t i = 0; i < each.count; ++i)
          next.insert(at + i * static_cast<std::uint64_t>(each.bytes));
      }
      used = next;
    }
    std::set<std::uintptr_t> all;
    for (const std::uintptr_t at : used) {
      for (std::uint64_t i = 0; i < bytes; ++i) all.insert(at + i);
    }
    const auto made = strided(bytes, strides);
    ASSERT_TRUE(made);
    EXPECT_EQ(made->first, *all.begin());
    EXPECT_EQ(made->first + made->extent(), *all.rbegin() + 1);
    for (std::uintptr_t at = kFirst - 300; at < kFirst + 300; ++at)
      ASSERT_EQ(made->covers(at, 1), all.contains(at)) << turn << ": " << at - kFirst;
  }
}

}  // namespace
}  // namespace weft
