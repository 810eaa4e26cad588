// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes in one process, whose requests are answered at once. The threads of all nodes go through
// loops without barriers in between, in random order of their steps, so that loops are asked for
// before they are entered and after they are done.
#include "openmp/schedules/loop_table.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "base/numbers/random.hpp"

namespace weft::openmp {
namespace {

class Cluster {
 public:
  Cluster(std::uint32_t nodes, std::uint32_t threads) : threads_(threads) {
    for (NodeId node; node.value() < nodes; ++node) {
      tables_.push_back(std::make_unique<LoopTable>(node));
    }
  }
  LoopTable& table(std::size_t node) { return *tables_[node]; }
  [[nodiscard]] std::size_t nodes() const { return tables_.size(); }
  [[nodiscard]] std::uint32_t threads() const { return threads_; }
  AskNode asker(LoopKey key, const LoopShape& shape) {
    return [this, key, shape](NodeId node) { return tables_[node.value()]->answer(key, shape); };
  }

 private:
  std::vector<std::unique_ptr<LoopTable>> tables_;
  const std::uint32_t threads_;
};

// The n-th loop that everybody meets.
struct SharedLoop {
  LoopKey key;
  LoopShape shape;
  std::vector<std::atomic<int>> times;
};

std::vector<std::unique_ptr<SharedLoop>> make_loops(Random& random, std::uint64_t region,
                                                    const Cluster& cluster, std::size_t count) {
  std::vector<std::unique_ptr<SharedLoop>> loops;
  for (std::size_t i = 0; i < count; ++i) {
    auto loop = std::make_unique<SharedLoop>();
    loop->key = LoopKey::of(region, i);
    loop->shape =
        LoopShape{.trip_count = random.below(300),
                  .chunk = 1 + random.below(12),
                  .guided = random.chance(30),
                  .monotonic = random.chance(20),
                  .team_size = static_cast<std::uint32_t>(cluster.nodes()) * cluster.threads(),
                  .threads_per_node = cluster.threads()};
    loop->times = std::vector<std::atomic<int>>(loop->shape.trip_count);
    loops.push_back(std::move(loop));
  }
  return loops;
}

// One thread of a node, that can be driven step by step.
class Walker {
 public:
  Walker(Cluster& cluster, std::size_t node, std::vector<std::unique_ptr<SharedLoop>>& loops)
      : cluster_(cluster), node_(node), loops_(loops) {}

  [[nodiscard]] std::size_t node() const { return node_; }
  [[nodiscard]] bool finished() const { return position_ == loops_.size(); }

  void step() {
    SharedLoop& loop = *loops_[position_];
    LoopTable& table = cluster_.table(node_);
    if (entered_ == nullptr) {
      entered_ = table.enter(loop.key, loop.shape);
      before_ = 0;
      return;
    }
    const IterationSpan span = table.next(*entered_, cluster_.asker(loop.key, loop.shape));
    if (span.empty()) {
      table.leave(loop.key);
      entered_ = nullptr;
      ++position_;
      return;
    }
    if (loop.shape.monotonic) {
      EXPECT_GE(span.begin, before_);
    }
    before_ = span.end;
    for (std::uint64_t i = span.begin; i < span.end; ++i) ++loop.times[i];
  }

 private:
  Cluster& cluster_;
  const std::size_t node_;
  std::vector<std::unique_ptr<SharedLoop>>& loops_;
  std::size_t position_ = 0;
  LoopTable::Loop* entered_ = nullptr;
  std::uint64_t before_ = 0;
};

void expect_each_once(const std::vector<std::unique_ptr<SharedLoop>>& loops, std::uint64_t seed) {
  for (const auto& loop : loops) {
    for (std::size_t i = 0; i < loop->times.size(); ++i) {
      ASSERT_EQ(loop->times[i], 1)
          << "seed " << seed << " loop " << loop->key.value << " iteration " << i;
    }
  }
}

TEST(LoopTable, RunsEachIterationOnceInAnyOrderOfSteps) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Random random(seed);
    Cluster cluster(static_cast<std::uint32_t>(1 + random.below(5)),
                    static_cast<std::uint32_t>(1 + random.below(3)));
    for (std::uint64_t region = 1; region <= 2; ++region) {
      auto loops = make_loops(random, region, cluster, 6);
      // The first node to begin a region may ask the others before they have.
      std::vector<bool> begun(cluster.nodes());
      std::vector<std::unique_ptr<Walker>> walkers;
      for (std::size_t node = 0; node < cluster.nodes(); ++node) {
        for (std::uint32_t t = 0; t < cluster.threads(); ++t) {
          walkers.push_back(std::make_unique<Walker>(cluster, node, loops));
        }
      }
      while (!walkers.empty()) {
        // Some threads are much slower than others.
        const std::size_t pick = random.below(random.chance(50) ? walkers.size() : 1);
        Walker& walker = *walkers[pick];
        const std::size_t node = walker.node();
        if (!begun[node]) cluster.table(node).begin_region(region, cluster.threads());
        begun[node] = true;
        walker.step();
        if (walker.finished()) walkers.erase(walkers.begin() + static_cast<std::ptrdiff_t>(pick));
      }
      expect_each_once(loops, seed);
      for (std::size_t node = 0; node < cluster.nodes(); ++node) {
        EXPECT_EQ(cluster.table(node).size(), 0U) << "seed " << seed;
      }
    }
  }
}

TEST(LoopTable, RunsEachIterationOnceOnRealThreads) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Random random(seed);
    Cluster cluster(3, 2);
    auto loops = make_loops(random, 1, cluster, 20);
    for (std::size_t node = 0; node < cluster.nodes(); ++node) {
      cluster.table(node).begin_region(1, cluster.threads());
    }
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < cluster.nodes() * cluster.threads(); ++i) {
      threads.emplace_back([&, i] {
        Walker walker(cluster, i % cluster.nodes(), loops);
        while (!walker.finished()) {
          walker.step();
          if (i % 2 == 0) std::this_thread::yield();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    expect_each_once(loops, seed);
  }
}

TEST(LoopTable, GivesNothingOfALoopThatIsDone) {
  LoopTable table(NodeId(0));
  table.begin_region(1, 1);
  const LoopShape shape{.trip_count = 10, .chunk = 1, .team_size = 2, .threads_per_node = 1};
  const LoopKey key = LoopKey::of(1, 0);
  LoopTable::Loop* loop = table.enter(key, shape);
  const AskNode nobody = [](NodeId) { return IterationSpan{}; };
  int iterations = 0;
  while (!table.next(*loop, nobody).empty()) ++iterations;
  EXPECT_EQ(iterations, 5);
  table.leave(key);
  EXPECT_TRUE(table.answer(key, shape).empty());
  EXPECT_EQ(table.size(), 0U);
}

TEST(LoopTable, GivesOfALoopThatNobodyHereHasEntered) {
  LoopTable table(NodeId(1));
  const LoopShape shape{.trip_count = 100, .chunk = 10, .team_size = 2, .threads_per_node = 1};
  const LoopKey key = LoopKey::of(1, 0);
  EXPECT_EQ(table.answer(key, shape), (IterationSpan{70, 100}));
  table.begin_region(1, 1);
  LoopTable::Loop* loop = table.enter(key, shape);
  EXPECT_EQ(table.next(*loop, [](NodeId) { return IterationSpan{}; }), (IterationSpan{50, 60}));
}

}  // namespace
}  // namespace weft::openmp
