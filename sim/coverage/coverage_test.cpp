// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All that a fixed number of seeds, all scenarios and all small worlds reach together is everything
// but for what a file lists, with reasons.
//
// WEFT_COVERAGE_SEEDS=100000 takes so many seeds. WEFT_COVERAGE_TABLE=FILE writes the table, and
// FILE.list each cell and entry with its count.
#include "sim/coverage/coverage.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>

#include "sim/campaign.hpp"
#include "sim/checkers/failure.hpp"
#include "sim/explore/explorer.hpp"
#include "sim/explore/library.hpp"
#include "sim/scripted/scenario_file.hpp"

namespace weft::sim {
namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

constexpr std::uint64_t kSeeds = 3000;
// Of a world; of one that is there for this test alone (sim/explore/directed); of those under each
// policy. Steps of the turns that only warm up do not count.
constexpr std::uint64_t kSteps = 200, kDirectedSteps = 1000, kStepsUnderPolicy = 40;

const std::vector<Settings> kPolicyVariants = {
    {{"homes", "follow"}},
    {{"homes", "stay"}},
    {{"push", "off"}},
    {{"push", "wait"}},
    {{"push", "join"}},
    {{"locks", "plain"}},
    {{"locks", "weft"}},
    {{"locks", "write-vector"}},
    {{"locks", "rmp"}},
    {{"locks", "rmp-mh"}},
    {{"locks", "rmp-lm"}},
    {{"locks", "plain"}, {"release", "eager"}},
    {{"locks", "write-vector"}, {"release", "eager"}},
    {{"atomics", "each"}},
    {{"pushes-for-good", "1"}, {"homes", "follow"}, {"push", "wait"}, {"locks", "plain"}},
    {{"carries-all", "1"}, {"homes", "follow"}, {"push", "off"}, {"locks", "weft"}},
    {{"fetches-leaves", "1"}, {"homes", "stay"}, {"push", "off"}, {"locks", "plain"}},
};

void add_seeds(CoverageTable& table, std::uint64_t seeds) {
  CampaignOptions options;
  options.seeds = seeds;
  options.coverage = &table;
  EXPECT_EQ(run_campaign(options).failures, 0U);
}

void add_scenarios(CoverageTable& table) {
  for (const auto& found : std::filesystem::directory_iterator(WEFT_SCENARIOS)) {
    std::ifstream file(found.path());
    (void)replay(file, &table);  // what it says is looked at in sim_scenario_test
  }
}

std::string text_of(const Settings& settings) {
  std::string text;
  for (const auto& [name, value] : settings) text += " --config " + name + "=" + value;
  return text;
}

void add_world(CoverageTable& table, explore::Program program, const Settings& settings,
               std::uint64_t steps) {
  constexpr double kNoLimit = 1e9;
  for (const auto& [name, value] : settings) {
    explore::configure(program.plan.config, name, value);
  }
  explore::Explorer explorer(program);
  const explore::Exploration done = explorer.explore({kNoLimit, steps});
  EXPECT_FALSE(done.finding) << done.finding->what << "\n./x check --world " << program.name
                             << text_of(settings) << " --trace --replay "
                             << done.finding->way.text();
  table.add(program.config(), explorer.covered());
}

void add_worlds(CoverageTable& table) {
  for (const explore::Program& program : explore::load_all_worlds(WEFT_WORLDS)) {
    add_world(table, program, {}, kSteps);
  }
  for (const explore::Program& program : explore::load_all_worlds(WEFT_DIRECTED_WORLDS)) {
    add_world(table, program, {}, kDirectedSteps);
    const bool is_variant = program.name.find('/') != std::string::npos;
    if (is_variant) continue;
    for (const Settings& settings : kPolicyVariants) {
      add_world(table, program, settings, kStepsUnderPolicy);
    }
  }
}

void write_table(const CoverageTable& table) {
  const char* const path = std::getenv("WEFT_COVERAGE_TABLE");
  if (path == nullptr) return;
  std::ofstream(path) << table.text();
  std::ofstream(std::string(path) + ".list") << table.list();
}

TEST(Coverage, HasTheHolesThatAreListedAndNoOthers) {
  turn_assertions_into_failures();
  const auto table = std::make_unique<CoverageTable>();
  const char* const seeds = std::getenv("WEFT_COVERAGE_SEEDS");
  add_scenarios(*table);
  add_worlds(*table);
  add_seeds(*table, seeds != nullptr ? std::stoull(seeds) : kSeeds);
  write_table(*table);
  const CoverageHoles holes = CoverageHoles::read(WEFT_COVERAGE_HOLES);
  for (const std::string& wrong : holes.compare(table->entries())) ADD_FAILURE() << wrong;
}

// The comparison notices a hole that is not listed.
TEST(Coverage, OfTooFewSeedsHasMoreHoles) {
  turn_assertions_into_failures();
  const auto table = std::make_unique<CoverageTable>();
  add_seeds(*table, 20);
  const CoverageHoles holes = CoverageHoles::read(WEFT_COVERAGE_HOLES);
  EXPECT_GT(holes.compare(table->entries()).size(), 100U);
}

}  // namespace
}  // namespace weft::sim
