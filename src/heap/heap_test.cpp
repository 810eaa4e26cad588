// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One node's heap: what it hands out, and what it says of misuse.
#include "heap/heap.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <thread>

#include "heap/heap_test_cluster.hpp"

namespace weft::heap {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr std::size_t kMiB = std::size_t{1} << 20;

std::uintptr_t number(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

TEST(Heap, BlocksAreAlignedAndHoldWhatWasAskedFor) {
  TestCluster cluster(1, 256 * kMiB);
  for (std::size_t bytes : {0UL, 1UL, 16UL, 17UL, 1000UL, 16384UL, 16385UL, 100000UL, 5 * kMiB}) {
    for (std::size_t alignment = 16; alignment <= 4 * kMiB; alignment *= 2) {
      void* const block = cluster.at(0).allocate(bytes, alignment);
      ASSERT_NE(block, nullptr);
      EXPECT_EQ(number(block) % alignment, 0U) << bytes;
      EXPECT_GE(cluster.at(0).usable_bytes(block), bytes);
      std::memset(block, 0xff, bytes);
      cluster.at(0).deallocate(block);
    }
  }
  cluster.at(0).trim();
  EXPECT_EQ(cluster.at(0).usage().bytes_in_use, 0U);
}

TEST(Heap, EmptyBlocksDiffer) {
  TestCluster cluster(1, 16 * kMiB);
  EXPECT_NE(cluster.at(0).allocate(0), cluster.at(0).allocate(0));
}

TEST(Heap, LargeBlocksNeverShareAPage) {
  TestCluster cluster(1, 64 * kMiB);
  std::set<std::uintptr_t> pages;
  for (int i = 0; i < 100; ++i) {
    const std::uintptr_t begin = number(cluster.at(0).allocate(16385 + 1000 * i));
    for (std::uintptr_t page = begin / kPageBytes; page <= (begin + 16384 + 1000 * i) / kPageBytes;
         ++page) {
      EXPECT_TRUE(pages.insert(page).second);
    }
  }
}

TEST(Heap, ThreadsTakeTheirSmallBlocksFromDifferentPages) {
  TestCluster cluster(1, 64 * kMiB);
  std::set<std::uintptr_t> pages[2];
  const auto allocate = [&cluster](std::set<std::uintptr_t>& mine) {
    for (int i = 0; i < 500; ++i) mine.insert(number(cluster.at(0).allocate(40)) / kPageBytes);
  };
  allocate(pages[0]);
  std::thread([&] { allocate(pages[1]); }).join();
  for (std::uintptr_t page : pages[0]) EXPECT_FALSE(pages[1].contains(page));
}

TEST(Heap, ZeroedBlocksOnNewPagesAreNotWritten) {
  TestCluster cluster(1, 1024 * kMiB);
  auto* const block = static_cast<std::byte*>(cluster.at(0).allocate_zeroed(512 * kMiB));
  ASSERT_NE(block, nullptr);
  unsigned char resident[64];
  ASSERT_EQ(mincore(block + 4 * kMiB, sizeof resident * kPageBytes, resident), 0);
  for (unsigned char page : resident) EXPECT_EQ(page & 1, 0);
}

TEST(Heap, ZeroedBlocksOnUsedPagesAreZero) {
  TestCluster cluster(1, 64 * kMiB);
  for (std::size_t bytes : {24UL, 1000UL, 16000UL, 100000UL, 3 * kMiB}) {
    void* const dirty = cluster.at(0).allocate(bytes);
    std::memset(dirty, 0xaa, bytes);
    cluster.at(0).deallocate(dirty);
    auto* const clean = static_cast<unsigned char*>(cluster.at(0).allocate_zeroed(2 * bytes));
    for (std::size_t i = 0; i < 2 * bytes; ++i) ASSERT_EQ(clean[i], 0) << i << " of " << bytes;
    auto* const again = static_cast<unsigned char*>(cluster.at(0).allocate_zeroed(bytes));
    for (std::size_t i = 0; i < bytes; ++i) ASSERT_EQ(again[i], 0) << i << " of " << bytes;
  }
}

TEST(Heap, LargeBlocksGrowAndShrinkInPlaceWhereTheyCan) {
  TestCluster cluster(1, 64 * kMiB);
  Heap& heap = cluster.at(0);
  void* const block = heap.allocate(kMiB);
  EXPECT_EQ(heap.reallocate(block, 4 * kMiB), block);
  EXPECT_EQ(heap.usable_bytes(block), 4 * kMiB);
  EXPECT_EQ(heap.reallocate(block, 2 * kMiB), block);
  void* const neighbour = heap.allocate(2 * kMiB);
  EXPECT_EQ(number(neighbour), number(block) + 2 * kMiB);
  std::memset(block, 7, 2 * kMiB);
  auto* const moved = static_cast<unsigned char*>(heap.reallocate(block, 3 * kMiB));
  EXPECT_NE(moved, block);
  EXPECT_EQ(moved[0] + moved[2 * kMiB - 1], 14);
  auto* const small = static_cast<unsigned char*>(heap.reallocate(moved, 10));
  EXPECT_EQ(small[9], 7);
}

TEST(Heap, AFullHeapGivesNullAndSaysSoOnce) {
  TestCluster cluster(1, 8 * kMiB);
  std::vector<void*> blocks;
  while (void* block = cluster.at(0).allocate(100000)) blocks.push_back(block);
  EXPECT_EQ(cluster.at(0).allocate(8 * kMiB), nullptr);
  ASSERT_EQ(cluster.warnings().size(), 1U);
  EXPECT_THAT(cluster.warnings()[0], HasSubstr("the shared heap is full: asked for 100000 bytes"));
  cluster.at(0).deallocate(blocks.back());
  EXPECT_NE(cluster.at(0).allocate(100000), nullptr);
}

TEST(Heap, SpansKeptForSpeedAreUsedWhenTheHeapIsFull) {
  TestCluster cluster(1, 8 * kMiB);
  std::vector<void*> blocks;
  while (void* block = cluster.at(0).allocate(48)) blocks.push_back(block);
  for (void* block : blocks) cluster.at(0).deallocate(block);
  // All of the share but its page records.
  EXPECT_NE(cluster.at(0).allocate(cluster.at(0).usage().bytes), nullptr);
}

TEST(Heap, ImpossibleSizesGiveNull) {
  TestCluster cluster(1, 8 * kMiB);
  EXPECT_EQ(cluster.at(0).allocate(SIZE_MAX), nullptr);
  EXPECT_EQ(cluster.at(0).allocate(SIZE_MAX / 2), nullptr);
  EXPECT_EQ(cluster.at(0).allocate(100, std::size_t{1} << 62), nullptr);
  void* const block = cluster.at(0).allocate(100);
  EXPECT_EQ(cluster.at(0).reallocate(block, SIZE_MAX), nullptr);
  cluster.at(0).deallocate(block);
}

TEST(Heap, MisuseIsNamed) {
  TestCluster cluster(1, 8 * kMiB);
  Heap& heap = cluster.at(0);
  auto* const block = static_cast<std::byte*>(heap.allocate(100));
  auto* const large = static_cast<std::byte*>(heap.allocate(100000));
  (void)heap.allocate(100);
  const auto message = [](const char* text) {
    return ThrowsMessage<std::runtime_error>(HasSubstr(text));
  };
  EXPECT_THAT([&] { heap.deallocate(block + 16); }, message("free(): invalid pointer"));
  EXPECT_THAT([&] { heap.deallocate(large + 16); }, message("free(): invalid pointer"));
  EXPECT_THAT([&] { heap.deallocate(large + kPageBytes); }, message("free(): invalid pointer"));
  heap.deallocate(block);
  EXPECT_THAT([&] { heap.deallocate(block); }, message("free(): double free"));
  heap.deallocate(large);
  EXPECT_THAT([&] { heap.deallocate(large); }, message("free(): invalid pointer"));
  EXPECT_THAT([&] { (void)heap.reallocate(large, 5); }, message("invalid pointer"));
}

}  // namespace
}  // namespace weft::heap
