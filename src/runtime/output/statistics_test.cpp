// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/output/statistics.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>

namespace weft {
namespace {

Statistics some() {
  Statistics statistics{.node = NodeId(2), .engine = {}, .transport = {}};
  statistics.engine.faults = 3;
  statistics.engine.barriers = 7;
  statistics.transport.messages_sent[1] = 5;
  statistics.pages[0] = 4;
  return statistics;
}

TEST(Statistics, ForPeopleSayWhatIsNotZero) {
  EXPECT_EQ(
      as_text(some()),
      "weft: node 2: pages: faults 3; synchronisation: barriers 7; transport: data_messages 5; "
      "homed here: single-writer 4\n");
}

TEST(Statistics, SayWhereRegionsWere) {
  Statistics statistics{.node = NodeId(0), .engine = {}, .transport = {}};
  statistics.regions = {.spread = 3, .inside = 4, .remarks = "regions at a.c:7: 4 of 7 inside"};
  EXPECT_EQ(as_text(statistics),
            "weft: node 0: regions: regions_spread 3, regions_inside 4\n"
            "weft: node 0: regions at a.c:7: 4 of 7 inside\n");
}

TEST(Statistics, ForScriptsSayEverything) {
  const std::string text = as_json(some());
  EXPECT_THAT(text, testing::StartsWith("{\"weft_node\": 2, \"counters\": {\"faults\": 3, "));
  for (const CounterInfo& each : engine_counters()) {
    EXPECT_THAT(
        text, testing::HasSubstr(fmt::format("\"{}\": {}", each.name, some().engine.*each.value)));
  }
  EXPECT_THAT(text, testing::HasSubstr(
                        "}, \"transport\": {\"control_messages\": 0, \"data_messages\": 5, "));
  EXPECT_THAT(text, testing::HasSubstr("}, \"homed_here\": {\"single-writer\": 4, "));
  EXPECT_THAT(text,
              testing::EndsWith("}, \"regions\": {\"regions_spread\": 0, \"regions_inside\": 0, "
                                "\"placement_moves\": 0, \"placement_trials\": 0, "
                                "\"placement_returns\": 0}}\n"));
}

TEST(Counters, HaveANameAndASumEach) {
  std::set<std::string_view> names;
  EngineCounters sum;
  for (const CounterInfo& each : engine_counters()) {
    EXPECT_TRUE(names.insert(each.name).second) << each.name;
    EngineCounters one;
    one.*each.value = 1;
    sum += one;
    EXPECT_EQ(sum.*each.value, 1U) << each.name;
  }
}

std::string table() {
  std::string text = "| counter | unit | counts |\n| --- | --- | --- |\n";
  std::string_view group;
  for (const CounterInfo& each : engine_counters()) {
    if (each.group != group) text += fmt::format("| **{}** | | |\n", each.group);
    group = each.group;
    text += fmt::format("| `{}` | {} | {} |\n", each.name, each.unit, each.meaning);
  }
  return text;
}

// WEFT_REWRITE_COUNTERS=1 writes the page's table anew.
TEST(Counters, AreThoseOfTheReference) {
  const char* const path = WEFT_DOCS "/reference/counters.md";
  std::ifstream file(path);
  std::string page{std::istreambuf_iterator<char>(file), {}};
  const std::size_t begin = page.find("| counter |");
  ASSERT_NE(begin, std::string::npos);
  const std::size_t size = page.find("\n\n", begin) + 1 - begin;
  if (std::getenv("WEFT_REWRITE_COUNTERS") != nullptr) {
    std::ofstream(path) << page.replace(begin, size, table());
    return;
  }
  EXPECT_EQ(page.substr(begin, size), table());
}

}  // namespace
}  // namespace weft
