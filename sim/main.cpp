// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// weft-sim: runs seeds of the simulated cluster and says how each that fails can be replayed.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <thread>

#include "protocol/interface/bugs.hpp"
#include "sim/campaign.hpp"
#include "sim/checkers/failure.hpp"
#include "sim/coverage/coverage.hpp"
#ifdef WEFT_DELIBERATE_BUGS
#include "sim/bug_choice.hpp"
#else
#include "sim/scaling/command.hpp"
#endif

namespace weft::sim {
namespace {

struct Options {
  std::uint64_t seed = 0;
  bool single = false, trace = false, list_bugs = false, coverage = false, cells = false;
  std::string bug;
  CampaignOptions campaign;
};

#ifndef WEFT_DELIBERATE_BUGS

// This program has the product's code in it. The one with the bugs stands beside it.
[[noreturn]] void run_with_bugs(char** arguments) {
  const std::filesystem::path here = std::filesystem::read_symlink("/proc/self/exe");
  const std::string other = here.string() + "-with-bugs";
  execv(other.c_str(), arguments);
  fmt::print(stderr, "weft-sim: cannot run {}\n", other);
  _exit(2);
}

#endif

int run_single(const Options& options) {
  LinePrinter print;
  if (options.trace) print = [](const std::string& line) { fmt::print("{}\n", line); };
  const Outcome outcome = options.campaign.verify_percent == 100 && !options.trace
                              ? run_seed_twice(options.seed)
                              : run_seed(options.seed, print);
  fmt::print("seed {}: {} nodes, {} events, {} messages, trace {:016x}\n", options.seed,
             outcome.node_count, outcome.event_count, outcome.counters.messages_sent,
             outcome.trace_hash);
  if (!outcome.failure) return 0;
  fmt::print("{}\n", describe_failure(options.seed, options.bug, *outcome.failure));
  return 1;
}

int run_campaign_here(Options& options) {
  options.campaign.bug = options.bug;
  options.campaign.first_seed = options.seed;
#ifdef WEFT_DELIBERATE_BUGS
  const auto table = std::make_unique<CoverageTable>();
  if (options.coverage || options.cells) options.campaign.coverage = table.get();
#endif
  const CampaignResult result = run_campaign(options.campaign);
  fmt::print("{} seeds, {} events, {} messages, {} runs repeated bit for bit: {}\n", result.seeds,
             result.events, result.messages, result.verified,
             result.failures == 0 ? "nothing found" : fmt::format("{} FAILED", result.failures));
#ifdef WEFT_DELIBERATE_BUGS
  if (options.coverage) fmt::print("{}", table->text());
  if (options.cells) fmt::print("{}", table->list());
#endif
  return result.failures == 0 ? 0 : 1;
}

void describe(CLI::App& app, Options& options) {
  app.add_option("--seeds", options.campaign.seeds, "Run this many seeds, from --base on")
      ->check(CLI::PositiveNumber);
  app.add_option("--base", options.seed, "The first seed");
  app.add_option("--seed", options.seed, "Run one seed")->excludes("--seeds")->excludes("--base");
  const std::map<std::string, Programs> programs = {{"both", Programs::kBoth},
                                                    {"any-kind", Programs::kAnyKind},
                                                    {"iterative", Programs::kIterative}};
  app.add_option("--programs", options.campaign.programs,
                 "Run seeds of one kind of programs: any-kind, iterative, both")
      ->transform(CLI::CheckedTransformer(programs, CLI::ignore_case));
  app.add_option("--bug", options.bug, "Switch a deliberate bug on");
  app.add_flag("--coverage", options.coverage, "Count what the engines go through, print a table");
  app.add_flag("--cells", options.cells, "The same, and print each cell with its count");
  app.add_flag("--list-bugs", options.list_bugs, "Name the deliberate bugs");
  app.add_flag("--trace", options.trace, "Print all that happens (with --seed)");
  app.add_flag_callback(
      "--verify-replay", [&options] { options.campaign.verify_percent = 100; },
      "Run every seed twice and compare; else five in a hundred are");
  app.add_option("--jobs", options.campaign.jobs, "Threads to use; default: one a processor");
  app.add_option("--stop-after", options.campaign.most_failures, "Failures after which to stop");
}

}  // namespace

int run(int argc, char** argv) {
  CLI::App app("Simulates clusters: random race-free programs over the real protocol engine.");
  Options options;
  describe(app, options);
#ifndef WEFT_DELIBERATE_BUGS
  std::string network = "random";
  scaling::StudyOptions study;
  scaling::describe(app, network, study);
#endif
  CLI11_PARSE(app, argc, argv);
  options.single = app.count("--seed") > 0;
#ifdef WEFT_DELIBERATE_BUGS
  if (options.list_bugs) return list_bugs();
  if (!options.bug.empty() && !choose_bug("weft-sim", options.bug)) return 2;
#else
  if (options.list_bugs || options.coverage || options.cells || !options.bug.empty())
    run_with_bugs(argv);
  if (network == "loggp") return scaling::run_study(study);
#endif
  turn_assertions_into_failures();
  return options.single ? run_single(options) : run_campaign_here(options);
}

}  // namespace weft::sim

int main(int argc, char** argv) { return weft::sim::run(argc, argv); }
