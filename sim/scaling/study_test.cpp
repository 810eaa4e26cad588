// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/scaling/study.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace weft::scaling {
namespace {

double n_log_n(unsigned nodes) { return nodes * std::log2(nodes); }

Iteration measure_named(const char* name, std::uint16_t nodes, const LogGP& model = {}) {
  // Long enough for what is learnt in the first iterations to be learnt.
  return measure(*find_pattern(name), model, nodes, 8);
}

TEST(Scaling, RepeatsBitForBit) {
  for (const Pattern& pattern : all_patterns()) {
    const Iteration first = measure(pattern, {}, 8, 2), second = measure(pattern, {}, 8, 2);
    EXPECT_EQ(first.time_us, second.time_us) << pattern.name;
    EXPECT_EQ(first.messages, second.messages) << pattern.name;
    EXPECT_EQ(first.bytes, second.bytes) << pattern.name;
    EXPECT_EQ(first.share, second.share) << pattern.name;
    EXPECT_EQ(first.kept_bytes, second.kept_bytes) << pattern.name;
  }
}

// What a whole job of nodes that talk to neighbours sends in an iteration.
TEST(Scaling, NeighboursCostNoMoreThanNLogN) {
  for (const char* name : {"jacobi", "sor"}) {
    const Iteration few = measure_named(name, 16);
    for (const std::uint16_t nodes : {32, 128, 512}) {
      const Iteration many = measure_named(name, nodes);
      const double allowed = n_log_n(nodes) / n_log_n(16);
      EXPECT_LE(many.messages, few.messages * allowed) << name << " on " << nodes;
      EXPECT_LE(many.bytes, few.bytes * allowed) << name << " on " << nodes;
      EXPECT_LE(many.faults, few.faults * allowed) << name << " on " << nodes;
      // What the engines of all nodes together keep.
      EXPECT_LE(many.kept_bytes, few.kept_bytes * allowed) << name << " on " << nodes;
      // At most four rows a node are noticed, each up the tree and down again.
      EXPECT_LE(many.notices, 8 * n_log_n(nodes)) << name << " on " << nodes;
    }
  }
}

// Where all read the parts of all, or write into them, an iteration has a few exchanges and
// barriers.
TEST(Scaling, AllToAllCostsNLogN) {
  for (const char* name : {"cg", "scatter"}) {
    for (const std::uint16_t nodes : {16, 32, 64}) {
      const Iteration iteration = measure(*find_pattern(name), {}, nodes, 4);
      EXPECT_LE(iteration.messages, 5 * n_log_n(nodes)) << name << " on " << nodes;
    }
  }
}

Program writes_and_meets(Thread& self, unsigned iterations) {
  for (unsigned k = 0; k < iterations; ++k) {
    co_await self.write({PageIndex(self.number()), 1}, kPageBytes);
    co_await self.barrier();
  }
}

const Pattern kAlone{.name = "alone",
                     .meaning = "each thread has a page",
                     .page_count = [](std::uint16_t nodes) { return std::uint64_t{nodes}; },
                     .run = writes_and_meets};

TEST(Scaling, WhatIsNotSharedCostsNothingButTheBarrier) {
  const Iteration iteration = measure(kAlone, {}, 64, 2);
  EXPECT_EQ(iteration.messages, 2 * 63);  // one up and one down each edge of the tree
  EXPECT_EQ(iteration.faults, 0);
}

// Each part of the model is in a barrier's time: with two nodes, two messages that cross; with
// three, a message there and one back.
TEST(Scaling, TimesAreTheModels) {
  LogGP model{.latency = 10'000,
              .overhead = 100,
              .gap = 0,
              .bandwidth = 1'000'000'000,
              .fault = 0,
              .page_call = 0};
  const Iteration quick = measure(kAlone, model, 2, 2);
  // A node that is behind receives before it sends.
  EXPECT_NEAR(quick.time_us, 10 + 0.1 + 0.1 + quick.bytes / 2 / 1000, 0.1 + 1e-6);
  model.bandwidth = 1'000'000;
  const Iteration slow = measure(kAlone, model, 2, 2);
  EXPECT_NEAR(slow.time_us, 10 + 0.1 + 0.1 + slow.bytes / 2, 1e-6);
  // With two children: the second is told a gap later, and so comes later the next time.
  model.bandwidth = 1'000'000'000;
  model.gap = 5000;
  EXPECT_NEAR(measure(kAlone, model, 3, 2).time_us, 2 * (10 + 0.1 + 0.1) + quick.bytes / 1000 + 5,
              1e-6);
}

TEST(Scaling, SaysWhatTimeGoesTo) {
  double all = 0;
  const Iteration iteration = measure_named("tsp", 8);
  for (const double share : iteration.share) all += share;
  EXPECT_NEAR(all, 1, 1e-9);
  EXPECT_GT(iteration.share[static_cast<std::size_t>(Activity::kLock)], 0);
  const Iteration broadcasts = measure_named("lu", 8);
  EXPECT_GT(broadcasts.share[static_cast<std::size_t>(Activity::kFetch)], 0);
}

// What its locks protect comes with them: once that is learnt, no thread faults.
TEST(Scaling, LearntCriticalSectionsDoNotFault) {
  for (const std::uint16_t nodes : {4, 8}) {
    const Iteration iteration = measure_named("tsp", nodes);
    EXPECT_EQ(iteration.faults, 0) << nodes;
    EXPECT_EQ(iteration.share[static_cast<std::size_t>(Activity::kFetch)], 0) << nodes;
  }
}

TEST(Scaling, CountsTheMemoryOfEngines) {
  MemoryAccount account;
  {
    std::vector<int>* numbers = nullptr;
    {
      const Charge charge(&account);
      numbers = new std::vector<int>(1000);
      EXPECT_EQ(account.bytes, static_cast<std::int64_t>(sizeof(*numbers) + 1000 * sizeof(int)));
    }
    delete numbers;  // counted where it was made
  }
  EXPECT_EQ(account.bytes, 0);
  EXPECT_GT(account.most_bytes, 4000);
}

}  // namespace
}  // namespace weft::scaling
