// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// weft-mutants: plants one mistake after the other in the protocol, and says which of them nobody
// notices (simulator.md).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <exception>
#include <string>
#include <thread>

#include "base/random.hpp"
#include "sim/mutants/campaign.hpp"

namespace weft::mutants {
namespace {

struct Options {
  std::uint64_t seeds = 300, sample = 0, sample_seed = 1;
  std::size_t jobs = std::max(1U, std::thread::hardware_concurrency());
  std::string only, explained;
  double most = 100;
  bool list = false;
};

int parse(CLI::App& app, Options& options, int count, char** arguments) {
  app.add_option("--seeds", options.seeds, "seeds that each mutant has to live through");
  app.add_option("--sample", options.sample, "take so many mutants by chance (0: all)");
  app.add_option("--sample-seed", options.sample_seed, "other ones");
  app.add_option("--only", options.only, "those whose name has this text in it");
  app.add_option("--explained", options.explained, "file of mutants that change nothing, and why");
  app.add_option("--most", options.most, "fail if more than so many percent live unexplained");
  app.add_option("--jobs", options.jobs, "processes at a time")->check(CLI::PositiveNumber);
  app.add_flag("--list", options.list, "print the names of all mutants");
  CLI11_PARSE(app, count, arguments);
  return 0;
}

std::vector<Place> chosen(const Options& options) {
  std::vector<Place> places = all_places();
  std::erase_if(places, [&](const Place& place) {
    return place.name.find(options.only) == std::string::npos;
  });
  if (options.sample == 0 || options.sample >= places.size()) return places;
  Random random(options.sample_seed);
  for (std::size_t index = 0; index < options.sample; ++index) {
    std::swap(places[index], places[index + random.below(places.size() - index)]);
  }
  places.resize(options.sample);
  std::ranges::sort(places, {}, &Place::name);
  return places;
}

int run(const Options& options) {
  const std::vector<Place> places = chosen(options);
  if (options.list) {
    for (const Place& place : places) fmt::print("{}\n", place.name);
    return 0;
  }
  testing::GTEST_FLAG(brief) = true;
  testing::GTEST_FLAG(filter) = "-*DeathTest*";  // assertions throw here, and are not mutated
  testing::InitGoogleTest();
  const auto explained = read_explained(options.explained);
  const Judge judge(WEFT_SCENARIOS, options.seeds);
  return print_table(judge_all(judge, places, options.jobs), explained) > options.most ? 1 : 0;
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
