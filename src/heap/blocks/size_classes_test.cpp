// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heap/blocks/size_classes.hpp"

#include <gtest/gtest.h>

#include "base/ids.hpp"

namespace weft::heap {
namespace {

TEST(SizeClasses, EverySizeGetsTheSmallestClassThatHoldsIt) {
  for (std::size_t bytes = 0; bytes <= kLargestSmallBytes; ++bytes) {
    const auto found = class_for(bytes, kMinimumAlignment);
    ASSERT_TRUE(found) << bytes;
    EXPECT_GE(class_bytes(*found), bytes);
    if (*found > 0) EXPECT_LT(class_bytes(*found - 1), bytes);
  }
  EXPECT_FALSE(class_for(kLargestSmallBytes + 1, kMinimumAlignment));
}

TEST(SizeClasses, AlignedSizesGetClassesOfMultiplesOfTheAlignment) {
  for (std::size_t alignment = 1; alignment <= kPageBytes; alignment *= 2) {
    for (std::size_t bytes : {0, 1, 17, 100, 129, 700, 4095, 4097, 9000, 16384}) {
      const auto found = class_for(bytes, alignment);
      ASSERT_TRUE(found) << bytes << " at " << alignment;
      EXPECT_GE(class_bytes(*found), bytes);
      EXPECT_EQ(class_bytes(*found) % alignment, 0U);
    }
  }
  EXPECT_FALSE(class_for(1, 2 * kPageBytes));
}

TEST(SizeClasses, SpansHoldEightBlocksOrMore) {
  for (SizeClass c = 0; c < kSizeClassCount; ++c) {
    EXPECT_GE(class_span_pages(c) * kPageBytes / class_bytes(c), 8U);
  }
}

}  // namespace
}  // namespace weft::heap
