// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/compiled_code/footprint.hpp"

#include <gmock/gmock.h>

namespace weft {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::uintptr_t kFirst = 0x10000000;
constexpr std::size_t kMany = 100;

std::vector<AddressRange> runs(std::uint64_t bytes, std::vector<weft_stride> strides,
                               std::size_t most = kMany) {
  return footprint(kFirst, bytes, strides, most);
}

AddressRange run(std::int64_t offset, std::uint64_t bytes) {
  const std::uintptr_t first = kFirst + static_cast<std::uintptr_t>(offset);
  return {first, first + bytes};
}

TEST(Footprint, OfOneElement) { EXPECT_THAT(runs(8, {}), ElementsAre(run(0, 8))); }

TEST(Footprint, ElementsInARowAreOneRun) {
  EXPECT_THAT(runs(8, {{8, 1000}}), ElementsAre(run(0, 8000)));
}

TEST(Footprint, BackwardsItEndsWhereItBegins) {
  EXPECT_THAT(runs(8, {{-8, 1000}}), ElementsAre(run(-7992, 8000)));
}

TEST(Footprint, RowsWithPaddingAreOneRun) {
  EXPECT_THAT(runs(16, {{16, 128}, {129 * 16, 64}}),
              ElementsAre(run(0, (63 * 129 * 16) + (128 * 16))));
}

TEST(Footprint, ABlockOfLongRowsIsARunForEach) {
  EXPECT_THAT(runs(8, {{8, 100}, {65536, 3}}),
              ElementsAre(run(0, 800), run(65536, 800), run(131072, 800)));
}

TEST(Footprint, LoopsMayBeInAnyOrder) {
  EXPECT_EQ(runs(8, {{65536, 3}, {8, 100}}), runs(8, {{8, 100}, {65536, 3}}));
}

TEST(Footprint, OfAColumnElementsInOnePageAreOneRun) {
  EXPECT_THAT(runs(8, {{1024, 8}}), ElementsAre(run(0, 7 * 1024 + 8)));
}

TEST(Footprint, TwoOuterLoops) {
  EXPECT_THAT(
      runs(8, {{1 << 20, 2}, {1 << 24, 2}}),
      ElementsAre(run(0, 8), run(1 << 20, 8), run(1 << 24, 8), run((1 << 24) + (1 << 20), 8)));
}

TEST(Footprint, ALoopOfOneIterationIsNone) {
  EXPECT_THAT(runs(8, {{1 << 20, 1}, {8, 2}}), ElementsAre(run(0, 16)));
}

TEST(Footprint, NothingComesOfAnEmptyLoop) { EXPECT_THAT(runs(8, {{8, 0}}), IsEmpty()); }

TEST(Footprint, NothingComesOfAbsurdNumbers) {
  EXPECT_THAT(runs(8, {{8, ~std::uint64_t{0}}}), IsEmpty());
  EXPECT_THAT(runs(8, {{INT64_MIN, 5}}), IsEmpty());
  EXPECT_THAT(runs(~std::uint64_t{0}, {}), IsEmpty());
  EXPECT_THAT(runs(0, {{8, 5}}), IsEmpty());
}

TEST(Footprint, HasNoMoreRunsThanAreWanted) {
  EXPECT_THAT(runs(8, {{1 << 20, 1000000}, {1 << 24, 1000000}}, 2),
              ElementsAre(run(0, 8), run(1 << 20, 8)));
}

TEST(Footprint, FillsPagesOfWhichItUsesMost) {
  const std::vector<weft_stride> dense = {{8, 512}, {4096, 10}}, half = {{16, 256}, {4096, 10}},
                                 sparse = {{4096, 10}, {0, 100}};
  EXPECT_TRUE(fills(10, 8, dense));
  EXPECT_TRUE(fills(10, 8, half));
  EXPECT_FALSE(fills(11, 8, half));
  EXPECT_FALSE(fills(10, 8, sparse));
}

}  // namespace
}  // namespace weft
