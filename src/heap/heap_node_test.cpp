// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks that one node allocates and another frees, resizes or asks about.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <set>

#include "heap/heap_test_cluster.hpp"

namespace weft::heap {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr std::size_t kMiB = std::size_t{1} << 20;

TEST(HeapLayout, SharesCoverTheRangeAndNameTheirOwner) {
  for (unsigned nodes : {1U, 2U, 3U, 7U, 64U}) {
    const HeapLayout layout(0x10000000, 64 * kMiB, nodes);
    std::uintptr_t next = 0x10000000;
    for (unsigned node = 0; node < nodes; ++node) {
      const NodeId id(static_cast<std::uint16_t>(node));
      const AddressRange share = layout.share(id);
      EXPECT_EQ(share.begin, next);
      EXPECT_EQ(share.begin % kPageBytes, 0U);
      EXPECT_GT(share.bytes(), 0U);
      EXPECT_EQ(layout.owner(share.begin), id);
      EXPECT_EQ(layout.owner(share.end - 1), id);
      next = share.end;
    }
    EXPECT_EQ(layout.whole().end, next);
    EXPECT_FALSE(layout.contains(0x10000000 - 1));
    EXPECT_FALSE(layout.contains(next));
    EXPECT_TRUE(layout.contains(next - 1));
  }
}

TEST(HeapNodes, EachAllocatesFromItsShare) {
  TestCluster cluster(3, 64 * kMiB);
  for (unsigned node = 0; node < 3; ++node) {
    for (std::size_t bytes : {10, 5000, 100000}) {
      void* const block = cluster.at(node).allocate(bytes);
      EXPECT_EQ(cluster.owner(block), node);
      for (unsigned asker = 0; asker < 3; ++asker) {
        EXPECT_GE(cluster.at(asker).usable_bytes(block), bytes);
      }
    }
  }
}

TEST(HeapNodes, ALentBlockIsTheOwnersAndLikeAnyOther) {
  TestCluster cluster(3, 64 * kMiB);
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{100000}}) {
    void* const block = cluster.at(2).lend(bytes);
    EXPECT_EQ(cluster.owner(block), 2U);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % kPageBytes, 0U);
    EXPECT_ANY_THROW((void)cluster.at(1).usable_bytes(block));  // it has no record
    cluster.at(0).note_lent(block, bytes);
    for (unsigned asker = 0; asker < 3; ++asker) {
      EXPECT_GE(cluster.at(asker).usable_bytes(block), std::max<std::size_t>(bytes, kPageBytes));
    }
    void* const neighbour = cluster.at(2).allocate(1);
    EXPECT_NE(reinterpret_cast<std::uintptr_t>(neighbour) / kPageBytes,
              reinterpret_cast<std::uintptr_t>(block) / kPageBytes);
    cluster.at(1).deallocate(block);
    cluster.at(1).flush();
    cluster.deliver();
  }
}

TEST(HeapNodes, NothingIsLentOfAFullShare) {
  TestCluster cluster(2, 8 * kMiB);
  EXPECT_EQ(cluster.at(1).lend(64 * kMiB), nullptr);
  EXPECT_EQ(cluster.at(1).lend(SIZE_MAX), nullptr);
  EXPECT_NE(cluster.at(1).lend(kMiB), nullptr);
}

TEST(HeapNodes, ABlockFreedElsewhereIsUsedAgainOnlyInALaterEpoch) {
  TestCluster cluster(2, 8 * kMiB);
  std::vector<void*> blocks;
  while (void* block = cluster.at(1).allocate(100000)) blocks.push_back(block);
  for (void* block : blocks) cluster.at(0).deallocate(block);
  cluster.at(0).flush();
  cluster.deliver();
  // The writes of node 0 to those blocks may still be on their way.
  EXPECT_EQ(cluster.at(1).allocate(100000), nullptr);
  cluster.barrier();
  std::set<void*> again;
  while (void* block = cluster.at(1).allocate(100000)) again.insert(block);
  EXPECT_EQ(again, std::set<void*>(blocks.begin(), blocks.end()));
}

TEST(HeapNodes, FreedBlocksTravelInBatches) {
  TestCluster cluster(2, 64 * kMiB);
  for (int i = 0; i < 1000; ++i) cluster.at(0).deallocate(cluster.at(1).allocate(40));
  EXPECT_GT(cluster.messages_waiting(), 5U);
  EXPECT_LT(cluster.messages_waiting(), 40U);
  cluster.barrier();
  EXPECT_EQ(cluster.messages_waiting(), 0U);
}

TEST(HeapNodes, ResizingElsewhereMovesTheBlock) {
  TestCluster cluster(2, 64 * kMiB);
  for (std::size_t bytes : {100UL, 5000UL, 50000UL, 3 * kMiB}) {
    auto* const block = static_cast<unsigned char*>(cluster.at(0).allocate(bytes));
    std::memset(block, 0x5a, bytes);
    auto* const moved = static_cast<unsigned char*>(cluster.at(1).reallocate(block, 2 * bytes));
    EXPECT_EQ(cluster.owner(moved), 1U);
    for (std::size_t i = 0; i < bytes; ++i) ASSERT_EQ(moved[i], 0x5a);
    cluster.at(1).deallocate(moved);
  }
  cluster.barrier();
  for (unsigned node = 0; node < 2; ++node) {
    cluster.at(node).deallocate(cluster.at(node).allocate(100000));  // takes back what was freed
    cluster.at(node).trim();
    EXPECT_EQ(cluster.at(node).usage().bytes_in_use, 0U);
  }
}

TEST(HeapNodes, ADoubleFreeByAnotherNodeIsNamedByTheOwner) {
  TestCluster cluster(2, 8 * kMiB);
  void* const block = cluster.at(0).allocate(40);
  cluster.at(1).deallocate(block);
  cluster.at(1).deallocate(block);
  cluster.barrier();
  EXPECT_THAT([&] { (void)cluster.at(0).allocate(100000); },
              ThrowsMessage<std::runtime_error>(HasSubstr("freed on node 1")));
  EXPECT_THROW((void)cluster.at(1).usable_bytes(static_cast<std::byte*>(block) + 1),
               std::runtime_error);
}

}  // namespace
}  // namespace weft::heap
