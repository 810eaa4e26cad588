// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Costs are as sim/costs/costs.txt says. With WEFT_REWRITE_COSTS=1 the file is rewritten; read the
// difference then: a number that went up is a program that became slower.
#include "sim/costs/costs.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "sim/checkers/failure.hpp"

namespace weft::sim::costs {
namespace {

TEST(Costs, AreAsWritten) {
  turn_assertions_into_failures();
  std::string actual;
  for (const Entry& entry : all_entries(WEFT_WORLDS)) actual += entry.run();
  if (std::getenv("WEFT_REWRITE_COSTS") != nullptr) std::ofstream(WEFT_COSTS) << actual;
  std::ostringstream expected;
  expected << std::ifstream(WEFT_COSTS).rdbuf();
  EXPECT_EQ(actual, expected.str()) << "WEFT_REWRITE_COSTS=1 writes them anew";
}

// What nobody shares costs the barrier's two messages a turn, and no more. They cross but for one
// turn in eight, when there may be another tree.
TEST(Costs, OfABarrierAlone) {
  const auto programs = explore::parse_programs(
      "alone",
      "nodes 2\npages 2\nhomes 0 1\ncells a=0:0 b=1:0\nturn:\n  0: write a\n"
      "  1: write b\n  barrier\n");
  const std::string text = costs_of(programs.front());
  const std::string after = text.substr(text.find("after: "));
  EXPECT_NE(after.find("BarrierArrive 15, BarrierDepart 1, "), std::string::npos) << after;
  EXPECT_NE(after.find("messages_sent 16"), std::string::npos) << after;
}

}  // namespace
}  // namespace weft::sim::costs
