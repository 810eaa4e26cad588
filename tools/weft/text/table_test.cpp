// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/text/table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft {
namespace {

using testing::ElementsAre;

TEST(Tables, AlignTheirColumns) {
  Table table({{"NAME"}, {"SIZE", Table::Side::kRight}, {"NOTE"}});
  table.add({"häuser", "7", "of wood"});
  table.add({"b", "12345"});
  EXPECT_THAT(table.lines(), ElementsAre("NAME     SIZE  NOTE",     //
                                         "häuser      7  of wood",  //
                                         "b       12345"));
}

TEST(Amounts, HaveFewDigits) {
  EXPECT_EQ(bytes_text(0), "0 B");
  EXPECT_EQ(bytes_text(1023), "1023 B");
  EXPECT_EQ(bytes_text(4096), "4.0 KiB");
  EXPECT_EQ(bytes_text((1 << 20) - 1), "1.0 MiB");
  EXPECT_EQ(bytes_text(std::uint64_t{1300} << 20), "1.3 GiB");
  EXPECT_EQ(bytes_text(~std::uint64_t{0}), "16.0 EiB");
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(999.4), "999");
  EXPECT_EQ(count_text(999.6), "1.0k");
  EXPECT_EQ(count_text(12'345), "12.3k");
  EXPECT_EQ(count_text(4'500'000), "4.5M");
}

TEST(Texts, DoNotDisturbATerminal) {
  EXPECT_EQ(printable("a\x1b[2Jb\n\x7f"), "a?[2Jb??");
  EXPECT_EQ(printable("häuser"), "häuser");
}

TEST(Texts, CommandsAreQuotedWhereAShellNeedsIt) {
  EXPECT_EQ(command_text({"./heat", "-n", "10"}), "./heat -n 10");
  EXPECT_EQ(command_text({"./heat", "", "it's", "a b"}), "./heat '' 'it'\\''s' 'a b'");
}

}  // namespace
}  // namespace weft
