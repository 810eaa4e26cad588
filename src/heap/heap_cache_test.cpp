// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What threads keep at hand of the heap's small blocks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <set>
#include <thread>
#include <vector>

#include "heap/heap.hpp"
#include "heap/heap_test_cluster.hpp"

namespace weft::heap {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class HeapCache : public ::testing::Test {
 protected:
  HeapCache() { heap().cache_blocks(); }
  Heap& heap() { return cluster_.at(0); }
  void free_anyhow(void* block) {
    if (!heap().deallocate_quickly(block)) heap().deallocate(block);
  }
  std::uint64_t bytes_in_use() {
    heap().trim();
    return heap().usage().bytes_in_use;
  }
  static void on_a_thread(const std::function<void()>& action) { std::thread(action).join(); }

 private:
  TestCluster cluster_{1, std::size_t{64} << 20};
};

TEST_F(HeapCache, ABlockIsTakenAgainByTheThreadThatFreedIt) {
  for (const std::size_t bytes : {1UL, 100UL, 4096UL, kLargestSmallBytes}) {
    void* const block = heap().allocate(bytes);
    EXPECT_TRUE(heap().deallocate_quickly(block));
    EXPECT_EQ(heap().allocate_quickly(bytes), block) << bytes;
    heap().deallocate(block);
  }
  EXPECT_EQ(heap().allocate_quickly(kLargestSmallBytes + 1), nullptr);
  EXPECT_EQ(bytes_in_use(), 0U);
}

TEST_F(HeapCache, TakesNoBlockTwice) {
  std::set<void*> blocks;
  std::size_t quick = 0;
  for (int i = 0; i < 5000; ++i) {
    void* block = heap().allocate_quickly(48);
    quick += block != nullptr ? 1 : 0;
    if (block == nullptr) block = heap().allocate(48);
    EXPECT_TRUE(blocks.insert(block).second);
  }
  EXPECT_GT(quick, 4500U);
  for (void* const block : blocks) free_anyhow(block);
  EXPECT_EQ(bytes_in_use(), 0U);
}

TEST_F(HeapCache, IsNotThereWhereNobodyAskedForIt) {
  TestCluster other(1, std::size_t{16} << 20);
  void* const block = other.at(0).allocate(100);
  EXPECT_FALSE(other.at(0).deallocate_quickly(block));
  EXPECT_EQ(other.at(0).allocate_quickly(100), nullptr);
}

TEST_F(HeapCache, ABlockOfAnotherThreadsPagesGoesBackToThem) {
  void* const block = heap().allocate(100);
  on_a_thread([&] {
    void* const own = heap().allocate(100);
    EXPECT_FALSE(heap().deallocate_quickly(block));
    heap().deallocate(block);
    EXPECT_TRUE(heap().deallocate_quickly(own));
    EXPECT_EQ(heap().allocate_quickly(100), own);
  });
}

TEST_F(HeapCache, ADoubleFreeIsNamed) {
  const auto is_named = ThrowsMessage<std::runtime_error>(HasSubstr("free(): double free"));
  void* const cached = heap().allocate(100);
  ASSERT_TRUE(heap().deallocate_quickly(cached));
  EXPECT_FALSE(heap().deallocate_quickly(cached));
  EXPECT_THAT([&] { heap().deallocate(cached); }, is_named);
  on_a_thread([&] {
    (void)heap().allocate(100);
    EXPECT_FALSE(heap().deallocate_quickly(cached));
    EXPECT_THAT([&] { heap().deallocate(cached); }, is_named);
  });
  // One that is back at its arena.
  std::vector<void*> many;
  for (int i = 0; i < 200; ++i) many.push_back(heap().allocate(100));
  for (void* const block : many) free_anyhow(block);
  for (void* const block : many) {
    EXPECT_FALSE(heap().deallocate_quickly(block));
    EXPECT_THAT([&] { heap().deallocate(block); }, is_named);
  }
}

TEST_F(HeapCache, APointerIntoABlockIsNone) {
  auto* const block = static_cast<std::byte*>(heap().allocate(100));
  EXPECT_FALSE(heap().deallocate_quickly(block + 16));
  EXPECT_FALSE(heap().deallocate_quickly(&heap()));
  EXPECT_TRUE(heap().deallocate_quickly(block));
}

// More threads than arenas, one after the other: what each had is free for the next.
TEST_F(HeapCache, AThreadThatEndsLeavesNothing) {
  for (unsigned thread = 0; thread < 2 * kArenas; ++thread) {
    on_a_thread([&] {
      void* const block = heap().allocate(1000);
      EXPECT_TRUE(heap().deallocate_quickly(block)) << thread;
    });
    ASSERT_EQ(bytes_in_use(), 0U);
  }
}

// More than there are arenas, at the same time: the last ones do without.
TEST_F(HeapCache, ManyThreadsAtATime) {
  std::vector<std::thread> threads;
  for (unsigned thread = 0; thread < kArenas + 20; ++thread) {
    threads.emplace_back([&] {
      std::vector<void*> blocks;
      for (int round = 0; round < 2000; ++round) {
        void* block = heap().allocate_quickly(64);
        if (block == nullptr) block = heap().allocate(64);
        *static_cast<std::size_t*>(block) = reinterpret_cast<std::size_t>(&blocks);
        blocks.push_back(block);
        if (round % 3 != 0) continue;
        EXPECT_EQ(*static_cast<std::size_t*>(blocks.front()),
                  reinterpret_cast<std::size_t>(&blocks));
        free_anyhow(blocks.front());
        blocks.erase(blocks.begin());
      }
      for (void* const each : blocks) free_anyhow(each);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(bytes_in_use(), 0U);
}

}  // namespace
}  // namespace weft::heap
