// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/text/sizes.hpp"

#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(Sizes, AreBytesOrHaveAUnit) {
  EXPECT_EQ(parse_size("0"), 0U);
  EXPECT_EQ(parse_size("4097"), 4097U);
  EXPECT_EQ(parse_size("5b"), 5U);
  EXPECT_EQ(parse_size("3K"), 3U << 10);
  EXPECT_EQ(parse_size("512m"), 512U << 20);
  EXPECT_EQ(parse_size("8GiB"), std::uint64_t{8} << 30);
  EXPECT_EQ(parse_size("2TB"), std::uint64_t{2} << 40);
  EXPECT_EQ(parse_size(" 10 kb "), 10U << 10);
  EXPECT_EQ(parse_size("1Pi"), std::uint64_t{1} << 50);
}

TEST(Sizes, AreNothingElse) {
  for (const char* text : {"", " ", "M", "-1", "1.5G", "7X", "7i", "7bb", "7KiBs", "7kmg", "7 7"}) {
    EXPECT_FALSE(parse_size(text)) << text;
  }
  EXPECT_FALSE(parse_size("18446744073709551616"));
  EXPECT_FALSE(parse_size("16777216T"));
  EXPECT_EQ(parse_size("16777215T"), ~std::uint64_t{0} << 40);
}

}  // namespace
}  // namespace weft
