// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs sim/scenarios/*.txt: after each command stands what must follow from it. With
// WEFT_REWRITE_SCENARIOS=1 the files are rewritten with what does; read the difference then.
#include "sim/scripted/scenario_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "sim/checkers/failure.hpp"

namespace weft::sim {
namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<fs::path> scenario_files() {
  std::vector<fs::path> files;
  for (const auto& found : fs::directory_iterator(WEFT_SCENARIOS)) files.push_back(found.path());
  std::ranges::sort(files);
  return files;
}

class ScenarioFile : public testing::TestWithParam<fs::path> {};

TEST_P(ScenarioFile, GoesAsWritten) {
  turn_assertions_into_failures();
  const std::string expected = read_file(GetParam());
  std::istringstream input(expected);
  const std::string actual = replay(input);
  if (std::getenv("WEFT_REWRITE_SCENARIOS") != nullptr) std::ofstream(GetParam()) << actual;
  EXPECT_EQ(actual, expected) << GetParam();
}

INSTANTIATE_TEST_SUITE_P(All, ScenarioFile, testing::ValuesIn(scenario_files()),
                         [](const testing::TestParamInfo<fs::path>& info) {
                           std::string name = info.param.stem();
                           std::erase(name, '-');
                           return name;
                         });

// An altered expectation is noticed.
TEST(ScenarioReplay, DiffersFromAWrongExpectation) {
  std::istringstream input("> cluster nodes=1 pages=1\n  something else\n");
  EXPECT_EQ(replay(input), "> cluster nodes=1 pages=1\n  nothing\n");
}

}  // namespace
}  // namespace weft::sim
