// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "maps/map_space.hpp"

#include <gtest/gtest.h>

namespace weft::maps {
namespace {

constexpr std::uintptr_t kBegin = 0x3000'0000'0000;

AddressRange pages(std::uint64_t first, std::uint64_t count) {
  return {kBegin + first * kPageBytes, kBegin + (first + count) * kPageBytes};
}

std::uint64_t first_page(const std::optional<AddressRange>& range) {
  return (range.value().begin - kBegin) / kPageBytes;
}

TEST(MapSpace, GivesPagesThatNobodyHas) {
  MapSpace space(pages(0, 8));
  EXPECT_EQ(first_page(space.take(3 * kPageBytes, kPageBytes, 1)), 0u);
  EXPECT_EQ(first_page(space.take(5 * kPageBytes, kPageBytes, 1)), 3u);
  EXPECT_FALSE(space.take(kPageBytes, kPageBytes, 1));
}

TEST(MapSpace, AlignsAddresses) {
  MapSpace space(pages(1, 1030));
  EXPECT_EQ(first_page(space.take(kPageBytes, 512 * kPageBytes, 1)), 512u);
}

TEST(MapSpace, OwnPagesAreFreeAtOnceAndOthersRestUntilTheEpochIsOver) {
  MapSpace space(pages(0, 4));
  ASSERT_TRUE(space.take(4 * kPageBytes, kPageBytes, 1));
  space.release(pages(1, 1), std::nullopt);
  EXPECT_EQ(first_page(space.take(kPageBytes, kPageBytes, 1)), 1u);
  space.release(pages(2, 2), 1);
  EXPECT_FALSE(space.take(kPageBytes, kPageBytes, 1));
  EXPECT_EQ(first_page(space.take(2 * kPageBytes, kPageBytes, 2)), 2u);
}

TEST(MapSpace, ReleasesOnlyWhatIsMapped) {
  MapSpace space(pages(0, 8));
  ASSERT_TRUE(space.take(2 * kPageBytes, kPageBytes, 1));
  space.release(pages(0, 8), std::nullopt);
  space.release(pages(0, 8), std::nullopt);
  EXPECT_EQ(first_page(space.take(8 * kPageBytes, kPageBytes, 1)), 0u);
}

TEST(MapSpace, ClaimsFreeRestingAndMappedPages) {
  MapSpace space(pages(0, 16));
  ASSERT_TRUE(space.take(4 * kPageBytes, kPageBytes, 1));
  space.release(pages(1, 1), std::nullopt);
  space.release(pages(2, 1), 1);
  space.claim(pages(0, 6));
  EXPECT_TRUE(space.is_mapped(pages(0, 6)));
  EXPECT_EQ(first_page(space.take(kPageBytes, kPageBytes, 9)), 6u);  // what was resting is mapped
}

TEST(MapSpace, ClaimLeavesPagesBeforeItFree) {
  MapSpace space(pages(0, 16));
  space.claim(pages(10, 2));
  EXPECT_EQ(first_page(space.take(10 * kPageBytes, kPageBytes, 1)), 0u);
  EXPECT_EQ(first_page(space.take(4 * kPageBytes, kPageBytes, 1)), 12u);
}

TEST(MapSpace, ExtendsIntoFreePagesAlone) {
  MapSpace space(pages(0, 8));
  ASSERT_TRUE(space.take(2 * kPageBytes, kPageBytes, 1));
  EXPECT_TRUE(space.extend(pages(2, 2)));
  EXPECT_FALSE(space.extend(pages(3, 2)));
  EXPECT_FALSE(space.extend(pages(4, 5)));  // beyond the share
  space.release(pages(3, 1), 1);
  EXPECT_FALSE(space.extend(pages(3, 1)));  // it rests
}

}  // namespace
}  // namespace weft::maps
