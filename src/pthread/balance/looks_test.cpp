// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pthread/balance/looks.hpp"

#include <gtest/gtest.h>

namespace weft::pthread {
namespace {

std::uint32_t points_until_due(Looks& looks) {
  std::uint32_t points = 1;
  while (!looks.is_due()) ++points;
  return points;
}

TEST(Looks, BeginAtTheFirstPoint) {
  Looks looks;
  EXPECT_EQ(points_until_due(looks), 1U);
}

TEST(Looks, AreRegularWhereThereIsNoReasonToMove) {
  Looks looks;
  for (int look = 0; look < 5; ++look) {
    looks.had_no_reason();
    EXPECT_EQ(points_until_due(looks), Looks::kShortest);
  }
}

TEST(Looks, InVainBecomeRarerUpToALimit) {
  Looks looks;
  for (std::uint32_t pause = Looks::kShortest; pause < Looks::kLongest; pause *= 2) {
    looks.was_in_vain();
    EXPECT_EQ(points_until_due(looks), pause);
  }
  for (int look = 0; look < 3; ++look) {
    looks.was_in_vain();
    EXPECT_EQ(points_until_due(looks), Looks::kLongest);
  }
  looks.had_no_reason();
  EXPECT_EQ(points_until_due(looks), Looks::kShortest);
}

}  // namespace
}  // namespace weft::pthread
