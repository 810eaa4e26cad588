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

TEST(Statistics, SayWhatBecameOfHints) {
  Statistics statistics{.node = NodeId(1), .engine = {}, .transport = {}};
  statistics.hints = {.performed = 2, .pages_brought = 30, .pages_claimed = 4};
  EXPECT_EQ(as_text(statistics),
            "weft: node 1: hints: hints_performed 2, hinted_pages_brought 30, "
            "hinted_pages_claimed 4\n");
}

TEST(Statistics, SayHowManyThreadsHaveCome) {
  Statistics statistics{.node = NodeId(1), .engine = {}, .transport = {}};
  statistics.moves = {.migrated = 5, .balanced = 2};
  EXPECT_EQ(as_text(statistics), "weft: node 1: threads: threads_migrated 5, threads_balanced 2\n");
  statistics.moves.remarks = "threads stay on their nodes";
  EXPECT_THAT(as_text(statistics),
              testing::EndsWith("weft: node 1: threads stay on their nodes\n"));
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
              testing::EndsWith(
                  "}, \"regions\": {\"regions_spread\": 0, \"regions_inside\": 0, "
                  "\"placement_moves\": 0, \"placement_trials\": 0, "
                  "\"placement_returns\": 0}, \"hints\": {\"hints_performed\": 0, "
                  "\"hinted_pages_brought\": 0, \"hinted_pages_claimed\": 0}, "
                  "\"threads\": {\"threads_migrated\": 0, "
                  "\"threads_balanced\": 0, \"threads_gathered\": 0, \"rests_ended\": 0}}\n"));
}

SiteStatistics site(std::string place, std::uint64_t calls, std::uint64_t pages,
                    std::uint64_t misses) {
  return {std::move(place), {calls, 0, 0, 0, pages, 0, misses, 0}};
}

TEST(Sites, AreAskedForByName) {
  for (const char* const format : {"sites", "sites-json"}) EXPECT_TRUE(asks_for_sites(format));
  for (const char* const format : {"", "text", "json"}) EXPECT_FALSE(asks_for_sites(format));
}

TEST(Sites, WithoutATextAreAddresses) {
  EXPECT_EQ(place_of_site(0x401020, "heat.c:7"), "heat.c:7");
  EXPECT_EQ(place_of_site(0x401020, ""), "0x401020");
  EXPECT_EQ(place_of_site(0, ""), "others");
}

TEST(Sites, OfOnePlaceAreOneAndThoseWithMostPagesAreFirst) {
  const std::vector<SiteStatistics> merged =
      merged_by_place({site("b.c:1", 1, 4, 0), site("a.c:1", 9, 0, 0), site("c.c:1", 1, 3, 0),
                       site("c.c:1", 2, 1, 2), site("a.c:2", 1, 0, 5), site("a.c:0", 1, 0, 0)});
  std::string text;
  for (const SiteStatistics& each : merged) {
    text +=
        fmt::format("{} {} {} {}, ", each.place, each.counts[0], each.counts[4], each.counts[6]);
  }
  EXPECT_EQ(text, "c.c:1 3 4 2, a.c:2 1 0 5, b.c:1 1 4 0, a.c:0 1 0 0, a.c:1 9 0 0, ");
}

TEST(Sites, ArePrintedIfTheyWereCounted) {
  Statistics statistics = some();
  statistics.sites = {site("a.c:7", 3, 20, 0), site("f(\"x\\\n)", 1, 0, 0)};
  EXPECT_THAT(as_text(statistics),
              testing::EndsWith("\nweft: node 2: site a.c:7: calls 3, pages_prefetched 20\n"
                                "weft: node 2: site f(\"x\\\n): calls 1\n"));
  EXPECT_THAT(
      as_json(statistics),
      testing::EndsWith(
          "\"threads_balanced\": 0, \"threads_gathered\": 0, \"rests_ended\": 0}, \"sites\": "
          "[{\"place\": \"a.c:7\", "
          "\"calls\": 3, "
          "\"not_heard\": 0, \"too_small\": 0, \"all_here\": 0, \"pages_prefetched\": 20, "
          "\"pages_overwritten\": 0, \"misses\": 0, \"late\": 0, \"inspected\": 0}, {\"place\": "
          "\"f(\\\"x\\\\\\u000a)\", \"calls\": 1, \"not_heard\": 0, \"too_small\": 0, "
          "\"all_here\": 0, "
          "\"pages_prefetched\": 0, \"pages_overwritten\": 0, \"misses\": 0, \"late\": 0, "
          "\"inspected\": 0}]}\n"));
  statistics.sites->clear();
  EXPECT_THAT(as_json(statistics), testing::EndsWith("}, \"sites\": []}\n"));
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
