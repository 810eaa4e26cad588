// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// weft-mutants: plants one mistake after the other in the protocol, and says which of them nobody
// notices (docs/internals/mutants.md).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <exception>
#include <string>
#include <thread>

#include "base/numbers/random.hpp"
#include "sim/checkers/failure.hpp"
#include "sim/mutants/campaign.hpp"
#include "sim/mutants/table.hpp"

namespace weft::mutants {
namespace {

struct Options {
  TrialOptions trials{.scenarios = WEFT_SCENARIOS, .worlds = WEFT_WORLDS};
  std::uint64_t sample = 0, sample_seed = 1;
  std::size_t jobs = std::max(1U, std::thread::hardware_concurrency());
  std::string only, explained, results, late;
  double most = 100;
  bool list = false;
};

int parse(CLI::App& app, Options& options, int count, char** arguments) {
  app.add_option("--seeds", options.trials.seeds, "seeds that each mutant has to live through");
  app.add_option("--worlds", options.trials.world_steps,
                 "and so many steps in each world of ./x check (0: without)");
  app.add_option("--sample", options.sample, "take so many mutants by chance (0: all)");
  app.add_option("--sample-seed", options.sample_seed, "other ones");
  app.add_option("--only", options.only, "those whose key has this text in it");
  app.add_option("--explained", options.explained, "file of mutants that change nothing, and why");
  app.add_option("--results", options.results,
                 "keep verdicts in this file: what was found is not tried again");
  app.add_option("--late", options.late,
                 "verdicts of a long run on those that are found late or not at all: fail if any "
                 "other lives");
  app.add_option("--most", options.most, "fail if more than so many percent live unexplained");
  app.add_option("--jobs", options.jobs, "processes at a time")->check(CLI::PositiveNumber);
  app.add_flag("--list", options.list, "print the keys of all mutants");
  CLI11_PARSE(app, count, arguments);
  return 0;
}

// By chance, and of the key alone: most of a sample stays where code is changed elsewhere.
std::uint64_t number_of(const std::string& key, std::uint64_t seed) {
  std::uint64_t hash = 0xcbf29ce484222325U ^ seed;
  for (const char letter : key) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3U;
  return Random(hash).below(~std::uint64_t{0});
}

std::vector<std::size_t> chosen(const Options& options, const std::vector<Place>& places) {
  std::vector<std::size_t> indices;
  for (std::size_t index = 0; index < places.size(); ++index) {
    if (places[index].key.find(options.only) != std::string::npos) indices.push_back(index);
  }
  if (options.sample == 0 || options.sample >= indices.size()) return indices;
  std::ranges::sort(indices, {}, [&](std::size_t index) {
    return number_of(places[index].key, options.sample_seed);
  });
  indices.resize(options.sample);
  std::ranges::sort(indices);
  return indices;
}

int run(const Options& options) {
  const std::vector<Place> places = all_places();
  const std::vector<std::size_t> indices = chosen(options, places);
  if (options.list) {
    for (const std::size_t index : indices) fmt::print("{}\n", places[index].key);
    return 0;
  }
  testing::GTEST_FLAG(brief) = true;
  testing::GTEST_FLAG(filter) = "-*DeathTest*";  // assertions throw here, and are not mutated
  testing::InitGoogleTest();
  sim::turn_assertions_into_failures();
  const Explained explained = read_explained(options.explained);
  Journal journal(options.results);
  const std::vector<Trial> trials = make_trials(options.trials, places);
  judge_all(Judge(places, trials), places, indices, options.jobs, journal);
  std::vector<Judged> judged;
  for (const std::size_t index : indices) {
    judged.push_back({&places[index], journal.verdict(places[index].key)});
  }
  const bool are_few = print_table(judged, explained) <= options.most;
  if (options.late.empty()) return are_few ? 0 : 1;
  return are_few && print_unexpected(judged, explained, Journal::read(options.late)) == 0 ? 0 : 1;
}

}  // namespace
}  // namespace weft::mutants

int main(int count, char** arguments) {
  CLI::App app("Plants one mistake after the other in the protocol; says which nobody notices.");
  weft::mutants::Options options;
  if (const int status = weft::mutants::parse(app, options, count, arguments)) return status;
  try {
    return weft::mutants::run(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "weft-mutants: {}\n", error.what());
    return 2;
  }
}
