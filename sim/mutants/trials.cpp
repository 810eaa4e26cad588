// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/mutants/trials.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>

#include "sim/costs/costs.hpp"
#include "sim/explore/explorer.hpp"
#include "sim/explore/library.hpp"
#include "sim/run.hpp"
#include "sim/scripted/scenario_file.hpp"

namespace weft::mutants {
namespace {

bool differs(const std::string& scenario) {
  std::istringstream commands(scenario);
  return sim::replay(commands) != scenario;
}

void add_scenarios(std::vector<Trial>& trials, const std::string& folder) {
  for (const auto& found : std::filesystem::directory_iterator(folder)) {
    std::ostringstream text;
    text << std::ifstream(found.path()).rdbuf();
    trials.push_back({.stage = Stage::kScenario,
                      .name = found.path().filename(),
                      .fails = [scenario = text.str()] { return differs(scenario); }});
  }
  if (trials.empty()) throw std::runtime_error("no scenarios in " + folder);
  std::ranges::sort(trials, {}, &Trial::name);
}

// Compared with what they are without any mutant.
void add_costs(std::vector<Trial>& trials, const std::string& worlds) {
  for (const sim::costs::Entry& entry : sim::costs::all_entries(worlds)) {
    trials.push_back(
        {.stage = Stage::kCost,
         .name = entry.name,
         .fails = [run = entry.run, expected = entry.run()] { return run() != expected; }});
  }
}

void add_worlds(std::vector<Trial>& trials, const TrialOptions& options) {
  constexpr double kNoLimit = 1e9;
  for (sim::explore::Program& program : sim::explore::load_all_worlds(options.worlds)) {
    // An explorer keeps a reference to it.
    const auto kept = std::make_shared<sim::explore::Program>(std::move(program));
    trials.push_back(
        {.stage = Stage::kWorld, .name = kept->name, .fails = [kept, steps = options.world_steps] {
           sim::explore::Explorer explorer(*kept);
           return explorer.explore({kNoLimit, steps}).finding.has_value();
         }});
  }
}

void go_through(Trial& trial, const std::vector<Place>& places) {
  for (const Place& place : places) place.forget_reached();
  if (trial.fails()) {
    throw std::runtime_error(fmt::format("the {} {} fails without any mutant",
                                         kStages[static_cast<std::size_t>(trial.stage)],
                                         trial.name));
  }
  for (const Place& place : places) trial.reached.push_back(place.was_reached());
}

}  // namespace

std::vector<Trial> make_trials(const TrialOptions& options, const std::vector<Place>& places) {
  std::vector<Trial> trials;
  add_scenarios(trials, options.scenarios);
  add_costs(trials, options.worlds);
  trials.push_back(
      {.stage = Stage::kUnitTest, .name = "all", .fails = [] { return RUN_ALL_TESTS() != 0; }});
  for (std::uint64_t seed = 0; seed < options.seeds; ++seed) {
    trials.push_back({.stage = Stage::kSeed, .name = std::to_string(seed), .fails = [seed] {
                        return sim::run_seed(seed).failure.has_value();
                      }});
  }
  if (options.world_steps > 0) add_worlds(trials, options);
  for (Trial& trial : trials) go_through(trial, places);
  return trials;
}

}  // namespace weft::mutants
