// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "openmp/synchronisation/single_count.hpp"

#include <gtest/gtest.h>

namespace weft::openmp {
namespace {

TEST(SingleCount, FirstComerGetsEach) {
  SingleCount count;
  EXPECT_TRUE(count.claim(1, 0).is_granted);
  EXPECT_FALSE(count.claim(1, 0).is_granted);
  EXPECT_TRUE(count.claim(1, 1).is_granted);
  EXPECT_FALSE(count.claim(1, 0).is_granted);
  EXPECT_FALSE(count.claim(1, 1).is_granted);
}

TEST(SingleCount, SaysWhichAreTaken) {
  SingleCount count;
  for (std::uint64_t construct = 0; construct < 5; ++construct) (void)count.claim(7, construct);
  EXPECT_EQ(count.claim(7, 2).taken, 5U);
  EXPECT_EQ(count.claim(7, 5).taken, 6U);
}

TEST(SingleCount, BeginsAnewInTheNextRegion) {
  SingleCount count;
  EXPECT_TRUE(count.claim(1, 0).is_granted);
  const SingleCount::Answer answer = count.claim(4, 0);
  EXPECT_TRUE(answer.is_granted);
  EXPECT_EQ(answer.taken, 1U);
}

}  // namespace
}  // namespace weft::openmp
