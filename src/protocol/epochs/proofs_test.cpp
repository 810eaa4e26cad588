// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/epochs/proofs.hpp"

#include <gtest/gtest.h>

#include "base/ids.hpp"

namespace weft {
namespace {

constexpr PhaseKey kOne(1), kOther(2);

TEST(Proofs, TheShortWayIsTakenWhenItWouldHaveDoneOftenEnough) {
  Proofs<PhaseKey> proofs(2);
  EXPECT_FALSE(proofs.has(kOne));
  proofs.note(kOne, true);
  EXPECT_FALSE(proofs.has(kOne));
  proofs.note(kOne, true);
  EXPECT_TRUE(proofs.has(kOne));
  EXPECT_FALSE(proofs.has(kOther));
}

TEST(Proofs, OftenEnoughMeansInARow) {
  Proofs<PhaseKey> proofs(2);
  for (const bool sufficed : {true, false, true}) proofs.note(kOne, sufficed);
  EXPECT_FALSE(proofs.has(kOne));
  proofs.note(kOne, true);
  EXPECT_TRUE(proofs.has(kOne));
}

TEST(Proofs, EachFailureAsksForTwiceTheProof) {
  Proofs<PhaseKey> proofs(2);
  for (unsigned proof = 2; proof <= 64; proof *= 2) {
    for (unsigned i = 0; i < proof; ++i) {
      EXPECT_FALSE(proofs.has(kOne)) << i << " of " << proof;
      proofs.note(kOne, true);
    }
    EXPECT_TRUE(proofs.has(kOne)) << proof;
    proofs.note(kOne, false);
  }
}

TEST(Proofs, WithoutProofItIsTakenUntilItFails) {
  Proofs<PhaseKey> proofs(0);
  EXPECT_TRUE(proofs.has(kOne));
  proofs.note(kOne, false);
  EXPECT_FALSE(proofs.has(kOne));
  proofs.note(kOne, true);
  EXPECT_TRUE(proofs.has(kOne));
}

}  // namespace
}  // namespace weft
