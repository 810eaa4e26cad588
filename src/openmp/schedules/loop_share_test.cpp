// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "openmp/schedules/loop_share.hpp"

#include <gtest/gtest.h>

#include "base/numbers/random.hpp"

namespace weft::openmp {
namespace {

TEST(InitialShare, CoversTheLoopOnceInWholeChunks) {
  for (const std::uint64_t trips : {0ULL, 1ULL, 2ULL, 7ULL, 100ULL, 1023ULL, 1ULL << 40, ~0ULL}) {
    for (const std::uint64_t chunk : {1ULL, 3ULL, 64ULL, 5000ULL, 1ULL << 50}) {
      for (std::uint32_t threads = 1; threads <= 4; ++threads) {
        for (std::uint32_t team = 1; team <= 13; ++team) {
          const LoopShape shape{
              .trip_count = trips, .chunk = chunk, .team_size = team, .threads_per_node = threads};
          std::uint64_t next = 0;
          for (NodeId node; node.value() < shape.nodes(); ++node) {
            const IterationSpan share = initial_share(shape, node);
            ASSERT_EQ(share.begin, next) << trips << " " << chunk << " " << team;
            ASSERT_LE(share.begin, share.end);
            if (share.end != trips) {
              ASSERT_EQ(share.end % chunk, 0U);
            }
            next = share.end;
          }
          ASSERT_EQ(next, trips);
        }
      }
    }
  }
}

TEST(InitialShare, IsInProportionToThreads) {
  const LoopShape shape{.trip_count = 1000,
                        .chunk = 10,
                        .team_size = 5,
                        .threads_per_node = 2};  // nodes of 2, 2 and 1 threads
  EXPECT_EQ(initial_share(shape, NodeId(0)), (IterationSpan{0, 400}));
  EXPECT_EQ(initial_share(shape, NodeId(1)), (IterationSpan{400, 800}));
  EXPECT_EQ(initial_share(shape, NodeId(2)), (IterationSpan{800, 1000}));
}

TEST(InitialShare, OfAMonotonicLoopIsNodeZeros) {
  const LoopShape shape{
      .trip_count = 1000, .chunk = 10, .monotonic = true, .team_size = 4, .threads_per_node = 2};
  EXPECT_EQ(initial_share(shape, NodeId(0)), (IterationSpan{0, 1000}));
  EXPECT_TRUE(initial_share(shape, NodeId(1)).empty());
}

TEST(IterationPool, TakesChunksInOrder) {
  IterationPool pool(LoopShape{.trip_count = 10, .chunk = 4, .team_size = 1, .threads_per_node = 1},
                     NodeId(0));
  EXPECT_EQ(pool.take(), (IterationSpan{0, 4}));
  EXPECT_EQ(pool.take(), (IterationSpan{4, 8}));
  EXPECT_EQ(pool.take(), (IterationSpan{8, 10}));
  EXPECT_TRUE(pool.take().empty());
  EXPECT_TRUE(pool.empty());
}

TEST(IterationPool, GuidedChunksShrinkToTheMinimum) {
  IterationPool pool(
      LoopShape{
          .trip_count = 1000, .chunk = 7, .guided = true, .team_size = 2, .threads_per_node = 2},
      NodeId(0));
  std::uint64_t before = 1000, next = 0;
  for (IterationSpan span = pool.take(); !span.empty(); span = pool.take()) {
    EXPECT_EQ(span.begin, next);
    EXPECT_LE(span.size(), before);
    if (span.end != 1000) {
      EXPECT_GE(span.size(), 7U);
    }
    before = span.size();
    next = span.end;
  }
  EXPECT_EQ(next, 1000U);
}

TEST(IterationPool, GivesTheUpperHalfAway) {
  IterationPool pool(
      LoopShape{.trip_count = 100, .chunk = 10, .team_size = 1, .threads_per_node = 1}, NodeId(0));
  EXPECT_EQ(pool.give_away(), (IterationSpan{50, 100}));
  EXPECT_EQ(pool.take(), (IterationSpan{0, 10}));
  EXPECT_EQ(pool.give_away(), (IterationSpan{30, 50}));
  EXPECT_EQ(pool.give_away(), (IterationSpan{20, 30}));
  EXPECT_EQ(pool.give_away(), (IterationSpan{10, 20}));  // the last chunk goes as well
  EXPECT_TRUE(pool.give_away().empty());
}

// Two pools that take and give at random: each iteration comes out once.
TEST(IterationPool, LosesNothingAndDoublesNothing) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Random random(seed);
    const LoopShape shape{.trip_count = random.below(500),
                          .chunk = 1 + random.below(9),
                          .guided = random.chance(50),
                          .team_size = static_cast<std::uint32_t>(2 + random.below(5)),
                          .threads_per_node = 2};
    std::vector<IterationPool> pools;
    for (NodeId node; node.value() < shape.nodes(); ++node) pools.emplace_back(shape, node);
    std::vector<int> times(shape.trip_count);
    const auto run = [&](IterationSpan span) {
      for (std::uint64_t i = span.begin; i < span.end; ++i) ++times[i];
    };
    for (int step = 0; step < 2000; ++step) {
      IterationPool& pool = pools[random.below(pools.size())];
      if (random.chance(70) || !pool.empty()) {
        run(pool.take());
      } else if (const IterationSpan given = pools[random.below(pools.size())].give_away();
                 !given.empty()) {
        pool.refill(given);
      }
    }
    for (IterationPool& pool : pools) {
      while (!pool.empty()) run(pool.take());
    }
    for (const int count : times) ASSERT_EQ(count, 1) << "seed " << seed;
  }
}

}  // namespace
}  // namespace weft::openmp
