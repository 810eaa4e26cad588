// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "maps/map_table.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "base/ids.hpp"

namespace weft::maps {
namespace {

struct alignas(kPageBytes) Memory {
  std::byte bytes[2 * kPageBytes] = {};
};

class MapTableTest : public testing::Test {
 protected:
  std::unique_ptr<Memory> memory_ = std::make_unique<Memory>();
  MapTable table_{AddressRange{reinterpret_cast<std::uintptr_t>(memory_->bytes),
                               reinterpret_cast<std::uintptr_t>(memory_->bytes + sizeof(Memory))}};

  static AddressRange pages(std::uint64_t first, std::uint64_t count) {
    return {first * kPageBytes, (first + count) * kPageBytes};
  }
  void add(AddressRange where, std::uint64_t inode, std::uint64_t place_pages = 0) {
    ASSERT_TRUE(table_.add({.where = where,
                            .device = 1,
                            .inode = inode,
                            .place = place_pages * kPageBytes,
                            .file = static_cast<std::int32_t>(inode),
                            .kind = MapKind::kSharedFile}));
  }
  MapTable::Found find(std::uint64_t inode, std::uint64_t place_pages, std::uint64_t page_count) {
    return table_.find(MapKind::kSharedFile, 1, inode, place_pages * kPageBytes,
                       page_count * kPageBytes);
  }
};

TEST_F(MapTableTest, FindsWhereAnObjectIsMapped) {
  add(pages(100, 8), 5, 2);
  EXPECT_EQ(find(5, 4, 3).address, 102 * kPageBytes);
  EXPECT_FALSE(find(5, 0, 1).address);
  EXPECT_FALSE(find(5, 0, 1).overlaps);
  EXPECT_FALSE(find(6, 4, 3).address);
  EXPECT_TRUE(find(5, 4, 30).overlaps);
}

TEST_F(MapTableTest, UnmapsOneOfTwoAliasesAtATime) {
  add(pages(100, 4), 5);
  add(pages(100, 4), 5);
  MapTable::Cut first = table_.cut(pages(100, 4));
  EXPECT_EQ(first.removed.size(), 1u);
  EXPECT_TRUE(first.free.empty());
  MapTable::Cut second = table_.cut(pages(100, 4));
  EXPECT_EQ(second.removed.size(), 1u);
  ASSERT_EQ(second.free.size(), 1u);
  EXPECT_EQ(second.free[0].bytes(), 4 * kPageBytes);
  EXPECT_EQ(table_.count(), 0u);
}

TEST_F(MapTableTest, CutsTheMiddleOut) {
  add(pages(100, 6), 5, 10);
  const MapTable::Cut cut = table_.cut(pages(102, 2));
  ASSERT_EQ(cut.removed.size(), 1u);
  EXPECT_FALSE(cut.is_ambiguous);
  EXPECT_EQ(cut.removed[0].place, 12 * kPageBytes);
  EXPECT_EQ(table_.count(), 2u);
  EXPECT_EQ(find(5, 14, 2).address, 104 * kPageBytes);
  EXPECT_EQ(find(5, 10, 2).address, 100 * kPageBytes);
  EXPECT_TRUE(table_.uses_file(5));
}

TEST_F(MapTableTest, RefusesAPartOfOneOfTwoAliases) {
  add(pages(100, 4), 5);
  add(pages(100, 4), 5);
  EXPECT_TRUE(table_.cut(pages(100, 2)).is_ambiguous);
}

TEST_F(MapTableTest, FreesWhatHasNoRecord) {
  add(pages(100, 1), 5);
  const MapTable::Cut cut = table_.cut(pages(90, 20));
  EXPECT_EQ(cut.removed.size(), 1u);
  ASSERT_EQ(cut.free.size(), 1u);
  EXPECT_EQ(cut.free[0].bytes(), 20 * kPageBytes);
}

TEST_F(MapTableTest, IsFullAtSomePoint) {
  std::size_t count = 0;
  while (table_.add({.where = pages(count, 1)})) ++count;
  EXPECT_EQ(count, kPageBytes / sizeof(MapRecord));
}

}  // namespace
}  // namespace weft::maps
