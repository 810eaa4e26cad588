// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random allocation, resizing and freeing across nodes, against a shadow that knows every live
// block: no two overlap, all are aligned, contents stay, zeroed blocks are zero, nothing leaks.
#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <mutex>
#include <thread>

#include "base/numbers/random.hpp"
#include "heap/heap_test_cluster.hpp"

namespace weft::heap {
namespace {

// Shared by all threads of a test.
class Shadow {
 public:
  void add(void* block, std::size_t bytes) {
    const auto begin = reinterpret_cast<std::uintptr_t>(block);
    const std::uintptr_t end = begin + std::max<std::size_t>(bytes, 1);
    const std::lock_guard lock(mutex_);
    const auto next = blocks_.lower_bound(begin);
    if (next != blocks_.end()) ASSERT_LE(end, next->first);
    if (next != blocks_.begin()) ASSERT_LE(std::prev(next)->second, begin);
    blocks_[begin] = end;
  }
  void remove(void* block) {
    const std::lock_guard lock(mutex_);
    ASSERT_EQ(blocks_.erase(reinterpret_cast<std::uintptr_t>(block)), 1U);
  }
  [[nodiscard]] std::size_t size() const { return blocks_.size(); }

 private:
  std::mutex mutex_;
  std::map<std::uintptr_t, std::uintptr_t> blocks_;
};

struct Live {
  unsigned char* block = nullptr;
  std::size_t bytes = 0;
  unsigned char pattern = 0;
};

// Large contents are written and checked at every 61st byte, to keep the test quick.
std::size_t stride(std::size_t bytes) { return bytes > 4096 ? 61 : 1; }
void fill(const Live& live) {
  for (std::size_t i = 0; i < live.bytes; i += stride(live.bytes)) {
    live.block[i] = static_cast<unsigned char>(live.pattern + i);
  }
}
void check(const Live& live, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; i += stride(live.bytes)) {
    ASSERT_EQ(live.block[i], static_cast<unsigned char>(live.pattern + i)) << i;
  }
}

class Actor {
 public:
  Actor(TestCluster& cluster, Shadow& shadow, unsigned node_count, std::uint64_t seed)
      : cluster_(cluster), shadow_(shadow), node_count_(node_count), random_(seed) {}

  // One random operation on a random node.
  void step() {
    Heap& heap = cluster_.at(static_cast<unsigned>(random_.below(node_count_)));
    if (live_.empty() || (live_.size() < 300 && random_.chance(55))) {
      create(heap);
    } else if (random_.chance(30)) {
      resize(heap, random_.below(live_.size()));
    } else {
      destroy(heap, random_.below(live_.size()));
    }
  }
  void finish() {
    while (!live_.empty()) {
      destroy(cluster_.at(static_cast<unsigned>(random_.below(node_count_))), live_.size() - 1);
    }
  }

 private:
  std::size_t random_bytes() {
    return random_.next() >> (63 - random_.below(random_.chance(10) ? 20 : 12));
  }
  void create(Heap& heap) {
    Live live{nullptr, random_bytes(), static_cast<unsigned char>(random_.next())};
    const std::size_t alignment = std::size_t{16} << (random_.chance(20) ? random_.below(10) : 0);
    const bool zeroed = random_.chance(30);
    if (!zeroed && alignment == kMinimumAlignment)
      live.block = static_cast<unsigned char*>(heap.allocate_quickly(live.bytes));
    if (live.block == nullptr) {
      live.block = static_cast<unsigned char*>(zeroed ? heap.allocate_zeroed(live.bytes)
                                                      : heap.allocate(live.bytes, alignment));
    }
    if (live.block == nullptr) return;
    if (zeroed) {
      for (std::size_t i = 0; i < live.bytes; ++i) ASSERT_EQ(live.block[i], 0) << i;
    } else {
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(live.block) % alignment, 0U);
    }
    shadow_.add(live.block, live.bytes);
    fill(live);
    live_.push_back(live);
  }
  void resize(Heap& heap, std::size_t which) {
    Live& live = live_[which];
    const std::size_t bytes = random_bytes() + 1;
    shadow_.remove(live.block);
    void* const moved = heap.reallocate(live.block, bytes);
    if (moved != nullptr) {
      live.block = static_cast<unsigned char*>(moved);
      check(live, std::min(bytes, live.bytes));
      live.bytes = bytes;
    }
    shadow_.add(live.block, live.bytes);
    fill(live);
  }
  void destroy(Heap& heap, std::size_t which) {
    const Live live = live_[which];
    live_[which] = live_.back();
    live_.pop_back();
    check(live, live.bytes);
    shadow_.remove(live.block);
    if (!heap.deallocate_quickly(live.block)) heap.deallocate(live.block);
  }

  TestCluster& cluster_;
  Shadow& shadow_;
  unsigned node_count_;
  Random random_;
  std::vector<Live> live_;
};

void expect_empty(TestCluster& cluster, unsigned node_count) {
  cluster.barrier();
  for (unsigned node = 0; node < node_count; ++node) {
    cluster.at(node).deallocate(cluster.at(node).allocate(20000));
    cluster.at(node).trim();
    EXPECT_EQ(cluster.at(node).usage().bytes_in_use, 0U) << node;
  }
}

// Whether threads keep blocks at hand.
class HeapStress : public ::testing::TestWithParam<bool> {
 protected:
  static void prepare(TestCluster& cluster) {
    if (GetParam()) cluster.cache_blocks();
  }
};
INSTANTIATE_TEST_SUITE_P(Caching, HeapStress, ::testing::Bool());

TEST_P(HeapStress, OneThread) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const unsigned nodes = 1 + seed % 5;
    TestCluster cluster(nodes, std::size_t{16} << 20);
    prepare(cluster);
    Shadow shadow;
    Actor actor(cluster, shadow, nodes, seed);
    for (int step = 0; step < 5000 && !::testing::Test::HasFailure(); ++step) {
      actor.step();
      if (step % 500 == 0) cluster.barrier();
    }
    actor.finish();
    EXPECT_EQ(shadow.size(), 0U);
    expect_empty(cluster, nodes);
    ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed;
  }
}

TEST_P(HeapStress, ManyThreads) {
  constexpr unsigned kNodes = 3;
  TestCluster cluster(kNodes, std::size_t{256} << 20);
  prepare(cluster);
  Shadow shadow;
  std::vector<std::thread> threads;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    threads.emplace_back([&cluster, &shadow, seed] {
      Actor actor(cluster, shadow, kNodes, seed);
      for (int step = 0; step < 15000 && !::testing::Test::HasFailure(); ++step) {
        actor.step();
        if (step % 1000 == 0) cluster.barrier();
      }
      actor.finish();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(shadow.size(), 0U);
  expect_empty(cluster, kNodes);
}

// Blocks that one thread makes and another frees, so that arenas are entered by strangers.
TEST_P(HeapStress, ProducerAndConsumer) {
  TestCluster cluster(1, std::size_t{64} << 20);
  prepare(cluster);
  std::mutex mutex;
  std::vector<void*> queue;
  std::thread consumer([&] {
    for (int freed = 0; freed < 100000;) {
      std::vector<void*> blocks;
      {
        const std::lock_guard lock(mutex);
        blocks.swap(queue);
      }
      for (void* block : blocks) cluster.at(0).deallocate(block);
      freed += static_cast<int>(blocks.size());
      std::this_thread::yield();
    }
  });
  for (int i = 0; i < 100000; ++i) {
    void* const block = cluster.at(0).allocate(16 + i % 200);
    const std::lock_guard lock(mutex);
    queue.push_back(block);
  }
  consumer.join();
  expect_empty(cluster, 1);
}

}  // namespace
}  // namespace weft::heap
