// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/epochs/crossings.hpp"

#include <gtest/gtest.h>

namespace weft {
namespace {

constexpr PhaseKey kOne(1), kOther(2);

TEST(Crossings, ArrivalsCrossWhenThatWouldHaveDoneOftenEnough) {
  Crossings crossings(2);
  EXPECT_FALSE(crossings.may_cross(kOne));
  crossings.note(kOne, true);
  EXPECT_FALSE(crossings.may_cross(kOne));
  crossings.note(kOne, true);
  EXPECT_TRUE(crossings.may_cross(kOne));
  EXPECT_FALSE(crossings.may_cross(kOther));
}

TEST(Crossings, OftenEnoughMeansInARow) {
  Crossings crossings(2);
  for (const bool sufficed : {true, false, true}) crossings.note(kOne, sufficed);
  EXPECT_FALSE(crossings.may_cross(kOne));
  crossings.note(kOne, true);
  EXPECT_TRUE(crossings.may_cross(kOne));
}

TEST(Crossings, EachFailureAsksForTwiceTheProof) {
  Crossings crossings(2);
  for (unsigned proof = 2; proof <= 64; proof *= 2) {
    for (unsigned i = 0; i < proof; ++i) {
      EXPECT_FALSE(crossings.may_cross(kOne)) << i << " of " << proof;
      crossings.note(kOne, true);
    }
    EXPECT_TRUE(crossings.may_cross(kOne)) << proof;
    crossings.note(kOne, false);
  }
}

TEST(Crossings, WithoutProofTheyCrossUntilOneFails) {
  Crossings crossings(0);
  EXPECT_TRUE(crossings.may_cross(kOne));
  crossings.note(kOne, false);
  EXPECT_FALSE(crossings.may_cross(kOne));
  crossings.note(kOne, true);
  EXPECT_TRUE(crossings.may_cross(kOne));
}

}  // namespace
}  // namespace weft
