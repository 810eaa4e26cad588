// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Over a fixed number of seeds everything is reached but for what a file lists, with reasons.
#include "sim/coverage.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "sim/campaign.hpp"
#include "sim/failure.hpp"

namespace weft::sim {
namespace {

std::unique_ptr<CoverageTable> table_of(std::uint64_t seeds) {
  turn_assertions_into_failures();
  auto table = std::make_unique<CoverageTable>();
  CampaignOptions options;
  options.seeds = seeds;
  options.coverage = table.get();
  EXPECT_EQ(run_campaign(options).failures, 0U);
  return table;
}

TEST(Coverage, HasTheHolesThatAreListedAndNoOthers) {
  const auto table = table_of(3000);
  const CoverageHoles holes = CoverageHoles::read(WEFT_COVERAGE_HOLES);
  for (const std::string& wrong : holes.compare(table->entries())) ADD_FAILURE() << wrong;
}

// The comparison notices a hole that is not listed.
TEST(Coverage, OfTooFewSeedsHasMoreHoles) {
  const auto table = table_of(20);
  const CoverageHoles holes = CoverageHoles::read(WEFT_COVERAGE_HOLES);
  EXPECT_GT(holes.compare(table->entries()).size(), 100U);
}

}  // namespace
}  // namespace weft::sim
