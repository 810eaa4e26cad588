// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/run/run_options.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <CLI/CLI.hpp>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

namespace weft {
namespace {

// The options that the arguments of `weft run` stand for; a complaint where they make no sense.
Result<RunOptions> parsed(const std::string& arguments) {
  CLI::App app("", "weft");
  RunOptions options;
  add_run_command(app, options);
  try {
    app.parse("run " + arguments + " ./heat");
  } catch (const CLI::ParseError& error) {
    return Failure{error.what()};
  }
  return options;
}

TEST(RunOptions, AreToldToNodesWhereTheyAreNotTheDefault) {
  unsetenv("WEFT_SPREAD");  // which all tests have
  using Variables = std::map<std::string, std::string>;
  EXPECT_EQ(option_environment(parsed("-n 2").value()), Variables());
  EXPECT_EQ(option_environment(parsed("--memory 512m --stats -v --transport shm").value()),
            (Variables{{"WEFT_NODE_MEMORY", "536870912"},
                       {"WEFT_STATS", "text"},
                       {"WEFT_TRANSPORT", "shm"},
                       {"WEFT_VERBOSE", "1"}}));
}

TEST(RunOptions, GoBeforeTheEnvironment) {
  setenv("WEFT_LATENCY_US", "3", 1);
  setenv("WEFT_STATS", "json", 1);
  EXPECT_EQ(option_environment(parsed("").value()).at("WEFT_LATENCY_US"), "3");
  EXPECT_EQ(option_environment(parsed("").value()).at("WEFT_STATS"), "json");
  EXPECT_EQ(option_environment(parsed("--latency-us 0").value()).at("WEFT_LATENCY_US"), "0");
  EXPECT_EQ(option_environment(parsed("--stats=0").value()).at("WEFT_STATS"), "0");
  EXPECT_EQ(option_environment(parsed("--stats=sites-json").value()).at("WEFT_STATS"),
            "sites-json");
  unsetenv("WEFT_STATS");
  unsetenv("WEFT_LATENCY_US");
}

TEST(RunOptions, TellWhereAStageIsToBe) {
  EXPECT_EQ(parsed("").value().stage, "");
  EXPECT_EQ(parsed("--stage").value().stage, "/tmp");
  EXPECT_EQ(parsed("--stage=/scratch").value().stage, "/scratch");
  setenv("WEFT_STAGE", "/nvme", 1);
  EXPECT_EQ(parsed("").value().stage, "/nvme");
  EXPECT_EQ(parsed("--stage").value().stage, "/tmp");
  setenv("WEFT_STAGE", "here", 1);
  EXPECT_FALSE(parsed(""));
  unsetenv("WEFT_STAGE");
  EXPECT_EQ(parsed("--stage=here").error(), "--stage: 'here' is not the absolute path of a folder");
}

TEST(RunOptions, ThatMakeNoSenseAreRefused) {
  EXPECT_EQ(parsed("--transport pigeon").error(),
            "--transport: there is no pigeon: auto, shm, tcp or ucx");
  EXPECT_EQ(parsed("--memory 7X").error(),
            "--memory: 7X is not a number, or a number with K, M, G or T");
  EXPECT_FALSE(parsed("--stats=prose"));
  EXPECT_FALSE(parsed("--latency-us -1"));
}

TEST(RunOptions, AreThoseOfTheReference) {
  std::set<std::string> flags;
  CLI::App app("", "weft");
  RunOptions options;
  for (const CLI::Option* each : add_run_command(app, options)->get_options()) {
    if (each->get_group().empty()) continue;  // not for users
    for (const std::string& name : each->get_lnames()) flags.insert("--" + name);
    for (const std::string& name : each->get_snames()) flags.insert("-" + name);
  }
  flags.erase("--help");
  flags.erase("-h");
  std::ifstream file(WEFT_DOCS "/reference/weft-run.md");
  std::string line;
  std::set<std::string> documented;
  const std::regex flag("`(--?[a-z-]+)`");
  while (std::getline(file, line) && line != "## Options") {
  }
  while (std::getline(file, line) && !line.starts_with("## ")) {
    if (!line.starts_with("`-")) continue;  // no term
    for (std::sregex_iterator at(line.begin(), line.end(), flag), end; at != end; ++at) {
      documented.insert(at->str(1));
    }
  }
  EXPECT_THAT(documented, testing::ContainerEq(flags));
}

}  // namespace
}  // namespace weft
