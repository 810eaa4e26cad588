// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// weft-check: explores small worlds, and says how what is found can be replayed.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "sim/bug_choice.hpp"
#include "sim/checkers/failure.hpp"
#include "sim/coverage/coverage.hpp"
#include "sim/explore/explorer.hpp"
#include "sim/explore/library.hpp"

namespace weft::sim::explore {
namespace {

struct Options {
  std::vector<std::string> worlds, config;
  std::string directory = WEFT_WORLDS, bug, replay;
  double seconds = 0, shorten = 20;
  bool list = false, list_bugs = false, nightly = false, trace = false, only = false;
  bool coverage = false;
};

// Of "WORLD" and all that differ from it in something, or of "WORLD/NAME" alone.
std::vector<Program> chosen_worlds(const Options& options) {
  std::vector<Program> chosen;
  if (options.worlds.empty()) chosen = load_all_worlds(options.directory);
  for (const std::string& name : options.worlds) {
    const std::size_t before = chosen.size();
    for (Program& program : load_worlds(options.directory, name.substr(0, name.find('/')))) {
      const bool is_it =
          program.name == name || (!options.only && program.name.starts_with(name + "/"));
      if (is_it) chosen.push_back(std::move(program));
    }
    SIM_CHECK(chosen.size() > before, "there is no world {}; --list names them", name);
  }
  for (Program& program : chosen) {
    for (const std::string& setting : options.config) {
      const std::size_t equals = std::min(setting.find('='), setting.size() - 1);
      configure(program.plan.config, setting.substr(0, equals), setting.substr(equals + 1));
    }
  }
  return chosen;
}

// Of the turns that are explored; of the last steps, if there are none.
void print_trace(const Program& program, const Way& way) {
  constexpr std::size_t kMostLines = 200;
  std::vector<std::string> lines;
  (void)Explorer::replay(program, way, [&](const std::string& line) { lines.push_back(line); });
  auto first =
      std::ranges::find_if(lines, [](const std::string& line) { return line.starts_with("---"); });
  if (first == lines.end()) {
    first = lines.end() - static_cast<std::ptrdiff_t>(std::min(lines.size(), kMostLines));
  }
  for (; first != lines.end(); ++first) fmt::print("  {}\n", *first);
}

void show_finding(const Options& options, const Program& program, const Finding& finding) {
  fmt::print("\n{} is wrong: {}\n", program.name, finding.what);
  for (const std::vector<Step>& steps : program.team) {
    fmt::print("  thread {}:", &steps - program.team.data());
    for (const Step& step : steps) fmt::print(" {};", step.text);
    fmt::print("\n");
  }
  print_trace(program, finding.way);
  fmt::print("  wrong: {}\n", finding.what);
  fmt::print("replay: ./x check --world {}{} --trace --replay {}\n\n", program.name,
             options.bug.empty() ? "" : " --bug " + options.bug, finding.way.text());
}

// True if nothing is wrong.
bool check(const Options& options, const Program& program, CoverageTable& table) {
  constexpr double kBriefly = 5, kByNight = 300;
  const double usual = options.nightly ? kByNight : kBriefly;
  Explorer explorer(program);
  const Exploration done = explorer.explore({options.seconds > 0 ? options.seconds : usual});
  table.add(program.config(), explorer.covered());
  fmt::print("{:24} {} nodes {:9} states {:10} steps, up to {:4} deep, {:6} ends, {:6.1f} s: {}\n",
             program.name, program.config().node_count, done.states, done.steps, done.deepest,
             done.ends, done.seconds,
             done.finding ? "WRONG"
             : done.whole ? "whole"
                          : fmt::format("not whole, and {} ways by chance", done.walks));
  std::fflush(stdout);
  if (!done.finding) return true;
  show_finding(options, program, explorer.shorten(*done.finding, {options.shorten}));
  return false;
}

int replay(const Options& options, const Program& program) {
  World::Printer print;
  if (options.trace) print = [](const std::string& line) { fmt::print("{}\n", line); };
  const std::optional<std::string> failure =
      Explorer::replay(program, Way::parse(options.replay), print);
  fmt::print("{}: {}\n", program.name, failure ? *failure : "nothing is wrong on this way");
  return failure ? 1 : 0;
}

int run_worlds(Options& options) {
  bool right = true;
  const auto table = std::make_unique<CoverageTable>();
  for (const Program& program : chosen_worlds(options)) {
    if (options.list) {
      fmt::print("{:24} {}\n", program.name, program.about);
    } else if (!options.replay.empty()) {
      return replay(options, program);
    } else {
      right = check(options, program, *table) && right;
    }
  }
  if (options.coverage) fmt::print("{}", table->list());
  return right ? 0 : 1;
}

void describe(CLI::App& app, Options& options) {
  app.add_option("--world", options.worlds, "Explore this world (or these); default: all");
  app.add_flag("--only", options.only, "Of --world WORLD, not those that differ from it a little");
  app.add_option("--seconds", options.seconds, "Processor time for each world (5; --nightly: 300)");
  app.add_option("--shorten", options.shorten,
                 "Processor time to look for a shorter way that fails (20)");
  app.add_option("--bug", options.bug, "Switch a deliberate bug on");
  app.add_option("--worlds", options.directory, "Where the worlds are");
  app.add_option("--config", options.config, "Explore the worlds with NAME=VALUE");
  app.add_option("--replay", options.replay, "Go one way through a world, as a failure names it");
  app.add_flag("--trace", options.trace, "Print all that happens (with --replay)");
  app.add_flag("--coverage", options.coverage,
               "Count what the engines go through, print each cell and pair with its count");
  app.add_flag("--list", options.list, "Name the worlds");
  app.add_flag("--list-bugs", options.list_bugs, "Name the deliberate bugs");
  app.add_flag("--nightly", options.nightly, "Take longer");
}

}  // namespace

int run(int argc, char** argv) {
  CLI::App app("Explores small worlds: every order of steps and messages, over the real engine.");
  Options options;
  describe(app, options);
  CLI11_PARSE(app, argc, argv);
  if (options.list_bugs) return list_bugs();
  if (!options.bug.empty() && !choose_bug("weft-check", options.bug)) return 2;
  turn_assertions_into_failures();
  try {
    return run_worlds(options);
  } catch (const Failure& failure) {
    fmt::print(stderr, "weft-check: {}\n", failure.what());
    return 2;
  }
}

}  // namespace weft::sim::explore

int main(int argc, char** argv) { return weft::sim::explore::run(argc, argv); }
