// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/fetching/scattered_faults.hpp"

#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(ScatteredFaultsTest, EachLeafCountsItsOwnInAnEpochAndBeginsAnew) {
  ScatteredFaults faults(3);
  const PageIndex one(64), other(128);
  const Epoch now(5), next(6);
  EXPECT_FALSE(faults.is_proof(one, now));
  EXPECT_FALSE(faults.is_proof(one, now));
  EXPECT_FALSE(faults.is_proof(other, now));
  EXPECT_TRUE(faults.is_proof(one, now));
  EXPECT_FALSE(faults.is_proof(one, now));
  EXPECT_FALSE(faults.is_proof(other, now));
  EXPECT_FALSE(faults.is_proof(other, next));
  EXPECT_FALSE(faults.is_proof(one, next));
  EXPECT_FALSE(faults.is_proof(one, next));
  EXPECT_TRUE(faults.is_proof(one, next));
}

}  // namespace
}  // namespace weft
