// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "memory/search/sealed_pages.hpp"

#include <gtest/gtest.h>

namespace weft {
namespace {

PageRange range(std::uint64_t first, std::uint64_t count) {
  return PageRange{PageIndex(first), count};
}

bool absent(PageIndex) { return true; }

TEST(SealedPages, ARunIsSealedToTheEndOfItsStretch) {
  SealedPages sealed;
  EXPECT_EQ(sealed.to_seal(range(10, 8), absent), range(10, 246));
  sealed.seal(range(10, 246));
  EXPECT_TRUE(sealed.contains(range(18, 8)));
  EXPECT_FALSE(sealed.contains(range(250, 8))) << "its end is not";
}

TEST(SealedPages, WhatIsMappedBehindEndsIt) {
  const SealedPages sealed;
  const auto is_absent = [](PageIndex page) { return page < PageIndex(20); };
  EXPECT_EQ(sealed.to_seal(range(10, 8), is_absent), range(10, 10));
}

TEST(SealedPages, SinglePagesAreNotSealed) {
  EXPECT_EQ(SealedPages().to_seal(range(10, 1), absent), PageRange());
}

TEST(SealedPages, WhatWasOpenedStaysOpen) {
  SealedPages sealed;
  sealed.seal(range(0, 256));
  EXPECT_EQ(sealed.open(range(130, 1)), std::vector{range(128, 128)});
  EXPECT_TRUE(sealed.open(range(130, 1)).empty());
  EXPECT_TRUE(sealed.contains(range(0, 128)));
  EXPECT_EQ(sealed.to_seal(range(140, 8), absent), PageRange());
  EXPECT_EQ(sealed.to_seal(range(256, 8), absent), range(256, 256));
}

TEST(SealedPages, WhatWasTakenMayBeSealedAgain) {
  SealedPages sealed;
  sealed.seal(range(0, 64));
  EXPECT_EQ(sealed.take(range(16, 8)), std::vector{range(16, 8)});
  EXPECT_TRUE(sealed.take(range(16, 8)).empty());
  EXPECT_TRUE(sealed.contains(range(0, 16)));
  EXPECT_TRUE(sealed.contains(range(24, 40)));
  EXPECT_EQ(sealed.to_seal(range(16, 8), [](PageIndex) { return false; }), range(16, 8));
}

// A process has room for so many mappings alone.
TEST(SealedPages, ThereAreSoManyRangesAlone) {
  SealedPages sealed;
  std::uint64_t first = 0;
  for (; sealed.to_seal(range(first, 4), absent) != PageRange(); first += 1000) {
    ASSERT_LT(first, 1000U * 20000);
    sealed.seal(range(first, 4));
  }
  EXPECT_EQ(sealed.to_seal(range(first, 4), absent), PageRange());
}

}  // namespace
}  // namespace weft
