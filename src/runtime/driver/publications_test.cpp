// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/driver/publications.hpp"

#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(Publications, AreTakenInOrder) {
  Publications publications;
  const Bytes first = {std::byte{1}}, second = {std::byte{2}};
  const std::uint32_t seen = publications.seen();
  publications.add(first);
  publications.add(second);
  EXPECT_NE(publications.seen(), seen);
  publications.sleep(seen);  // returns at once
  EXPECT_EQ(publications.take(), first);
  EXPECT_EQ(publications.take(), second);
  EXPECT_TRUE(publications.empty());
}

TEST(Publications, EndIsSeen) {
  Publications publications;
  const std::uint32_t seen = publications.seen();
  EXPECT_FALSE(publications.have_ended());
  publications.end();
  EXPECT_TRUE(publications.have_ended());
  EXPECT_NE(publications.seen(), seen);
}

}  // namespace
}  // namespace weft
