// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/hints/parts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <vector>

#include "include/weft/hints.h"

namespace weft {

// What a failed test prints.
static void PrintTo(const ByteRange& range, std::ostream* out) {
  *out << "[" << range.first << ", " << range.end << ")";
}

namespace {

constexpr std::uintptr_t kFirst = 0x1000'0000;

Hint hint_of(std::uint64_t units, std::uint64_t unit_bytes, weft_distribution distribution,
             std::uintptr_t first = kFirst) {
  return {.kind = HintKind::kScatter,
          .first = first,
          .bytes = units * unit_bytes,
          .distribution = distribution,
          .unit_bytes = unit_bytes};
}

using Ranges = std::vector<ByteRange>;

// In units of a page from the first.
Ranges pages(const Ranges& ranges) {
  Ranges result;
  for (const ByteRange& range : ranges) {
    result.push_back({(range.first - kFirst) / kPageBytes, (range.end - kFirst) / kPageBytes});
  }
  return result;
}

TEST(Parts, AreBlocksAsOfAStaticSchedule) {
  const Hint hint = hint_of(10, kPageBytes, WEFT_BLOCK);
  EXPECT_EQ(pages(part_of(hint, NodeId(0), {2, 2})), (Ranges{{0, 6}}));
  EXPECT_EQ(pages(part_of(hint, NodeId(1), {2, 2})), (Ranges{{6, 10}}));
  EXPECT_EQ(pages(part_of(hint, NodeId(2), {4, 1})), (Ranges{{6, 8}}));
}

TEST(Parts, MayBeEmpty) {
  EXPECT_EQ(part_of(hint_of(2, kPageBytes, WEFT_BLOCK), NodeId(3), {4, 1}), Ranges{});
  EXPECT_EQ(part_of(hint_of(2, kPageBytes, WEFT_CYCLIC), NodeId(3), {4, 1}), Ranges{});
  EXPECT_EQ(part_of(hint_of(2, kPageBytes, 1), NodeId(3), {4, 1}), Ranges{});
}

TEST(Parts, AreDealtInTurn) {
  const Hint hint = hint_of(10, kPageBytes, WEFT_CYCLIC);
  EXPECT_EQ(pages(part_of(hint, NodeId(0), {2, 2})), (Ranges{{0, 2}, {4, 6}, {8, 10}}));
  EXPECT_EQ(pages(part_of(hint, NodeId(1), {2, 2})), (Ranges{{2, 4}, {6, 8}}));
}

TEST(Parts, ThatShareAllPagesAreAll) {
  EXPECT_EQ(part_of(hint_of(4096, 8, WEFT_CYCLIC), NodeId(1), {4, 1}),
            (Ranges{{kFirst + 8, kFirst + 4096 * 8 - 16}}));
}

TEST(Parts, OfOneNodeAreAll) {
  EXPECT_EQ(part_of(hint_of(5, 100, 2), NodeId(2), {4, 1}), (Ranges{{kFirst, kFirst + 500}}));
}

TEST(Parts, EndWithABrokenUnit) {
  Hint hint = hint_of(3, kPageBytes, WEFT_BLOCK);
  hint.bytes -= 1;
  EXPECT_EQ(part_of(hint, NodeId(1), {2, 1}),
            (Ranges{{kFirst + 2 * kPageBytes, kFirst + 3 * kPageBytes - 1}}));
}

// Each page has one home, whatever the distribution is, and where it begins.
TEST(Parts, AreTheHomeOfEachPageOnce) {
  for (const weft_distribution distribution :
       std::initializer_list<int>{WEFT_BLOCK, WEFT_CYCLIC, 1}) {
    for (const std::uint64_t unit_bytes : {8U, 100U, 5000U, 20000U}) {
      for (const std::uintptr_t first : {kFirst, kFirst + 24, kFirst + 4095}) {
        const Hint hint = hint_of(1000000 / unit_bytes, unit_bytes, distribution, first);
        std::vector<ByteRange> all;
        for (unsigned node = 0; node < 3; ++node) {
          for (const ByteRange& each : home_part_of(hint, NodeId(node), {3, 2}))
            all.push_back(each);
        }
        std::ranges::sort(all, {}, &ByteRange::first);
        ASSERT_FALSE(all.empty());
        EXPECT_EQ(all.front().first, hint.first);
        EXPECT_EQ(all.back().end, hint.end());
        for (std::size_t i = 1; i < all.size(); ++i) {
          EXPECT_EQ(all[i].first, all[i - 1].end);
          EXPECT_EQ(all[i].first % kPageBytes, 0);
        }
      }
    }
  }
}

TEST(Parts, AreTheHomeWhereThePagesFirstBytesAreUsed) {
  // Thread 1 of 2 has the bytes from the middle of page 1 on.
  const Hint hint = hint_of(2, kPageBytes * 3 / 2, WEFT_BLOCK);
  EXPECT_EQ(pages(home_part_of(hint, NodeId(0), {2, 1})), (Ranges{{0, 2}}));
  EXPECT_EQ(pages(home_part_of(hint, NodeId(1), {2, 1})), (Ranges{{2, 3}}));
}

}  // namespace
}  // namespace weft
