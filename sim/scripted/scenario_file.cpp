// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/scripted/scenario_file.hpp"

#include <sstream>

#include "sim/scripted/scenario.hpp"

namespace weft::sim {

std::string replay(std::istream& file, CoverageTable* table) {
  Scenario scenario(table);
  std::string text;
  bool in_result = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("> ")) {
      text += line + "\n";
      std::istringstream result(scenario.run(line.substr(2)));
      for (std::string said; std::getline(result, said);) text += "  " + said + "\n";
      in_result = true;
      continue;
    }
    if (!line.starts_with("  ")) in_result = false;
    if (!in_result) text += line + "\n";
  }
  return text;
}

}  // namespace weft::sim
