// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/explore/library.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "sim/checkers/failure.hpp"

namespace weft::sim::explore {

std::vector<Program> load_worlds(const std::string& directory, const std::string& name) {
  const std::string path = directory + "/" + name + ".txt";
  std::ifstream file(path);
  SIM_CHECK(file.good(), "there is no world {} ({}); --list names them", name, path);
  std::stringstream text;
  text << file.rdbuf();
  return parse_programs(name, text.str());
}

std::vector<Program> load_all_worlds(const std::string& directory) {
  std::vector<Program> worlds;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.path().extension() != ".txt") continue;
    for (Program& program : load_worlds(directory, entry.path().stem())) {
      worlds.push_back(std::move(program));
    }
  }
  std::ranges::sort(worlds, {}, &Program::name);
  return worlds;
}

Program load_world(const std::string& directory, const std::string& name) {
  for (Program& program : load_worlds(directory, name.substr(0, name.find('/')))) {
    if (program.name == name) return std::move(program);
  }
  throw Failure("there is no world " + name + "; --list names them");
}

}  // namespace weft::sim::explore
