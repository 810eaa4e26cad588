// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "start/checks/bits.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "base/numbers/random.hpp"

namespace weft::checks {
namespace {

TEST(Bits, FindTheFirstThatIsMissing) {
  Bits bits;
  ASSERT_TRUE(bits.begin(1000));
  bits.set(10, 300);
  bits.set(310, 1000);
  EXPECT_EQ(bits.first_clear(10, 1000), 300U);
  EXPECT_EQ(bits.first_set(300, 1000), 310U);
  EXPECT_EQ(bits.first_clear(310, 1000), 1000U);
  EXPECT_EQ(bits.first_clear(0, 5), 0U);
  EXPECT_EQ(bits.first_set(301, 309), 309U);
}

TEST(Bits, AreClearWhenTheyBeginAgain) {
  Bits bits;
  for (const std::uint64_t count :
       {std::uint64_t{100}, std::uint64_t{1} << 24, std::uint64_t{50}}) {
    ASSERT_TRUE(bits.begin(count));
    EXPECT_EQ(bits.first_set(0, count), count);
    bits.set(0, count);
    bits.end();
  }
}

TEST(Bits, AreThoseThatWereSet) {
  constexpr std::uint64_t kCount = 300;
  Random random(1);
  for (int turn = 0; turn < 200; ++turn) {
    Bits bits;
    ASSERT_TRUE(bits.begin(kCount));
    std::vector<bool> expected(kCount);
    for (int range = 0; range < 4; ++range) {
      const std::uint64_t from = random.below(kCount), to = from + random.below(kCount - from + 1);
      bits.set(from, to);
      for (std::uint64_t at = from; at < to; ++at) expected[at] = true;
    }
    for (std::uint64_t at = 0; at < kCount; ++at)
      ASSERT_EQ(bits.first_clear(at, at + 1) == at + 1, expected[at]) << turn << ": " << at;
  }
}

}  // namespace
}  // namespace weft::checks
