// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Some seeds with each build of the tests; `./x sim` runs many more.
#include <gtest/gtest.h>

#include "sim/campaign.hpp"
#include "sim/checkers/failure.hpp"
#include "sim/run.hpp"

namespace weft::sim {
namespace {

TEST(Simulation, FindsNothing) {
  turn_assertions_into_failures();
  CampaignOptions options;
  options.seeds = 600;
  const CampaignResult result = run_campaign(options);
  EXPECT_EQ(result.failures, 0U);
  EXPECT_EQ(result.seeds, options.seeds);
}

TEST(Simulation, ReplaysBitForBit) {
  turn_assertions_into_failures();
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Outcome first = run_seed(seed);
    EXPECT_EQ(first.trace_hash, run_seed(seed).trace_hash) << "seed " << seed;
    EXPECT_NE(first.trace_hash, run_seed(seed + 1).trace_hash) << "seed " << seed;
  }
}

// What is never exercised is never checked: over enough seeds every counter must have moved.
TEST(Simulation, ReachesEveryPartOfTheProtocol) {
  turn_assertions_into_failures();
  EngineCounters sum;
  bool has_one_node = false, has_64_nodes = false;
  for (std::uint64_t seed = 0; seed < 2'000; ++seed) {
    const Outcome outcome = run_seed(seed);
    has_one_node |= outcome.node_count == 1;
    has_64_nodes |= outcome.node_count == 64;
    sum += outcome.counters;
  }
  for (const CounterInfo& each : engine_counters()) EXPECT_GT(sum.*each.value, 0U) << each.name;
  EXPECT_TRUE(has_one_node);
  EXPECT_TRUE(has_64_nodes);
}

}  // namespace
}  // namespace weft::sim
