// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Boost's compiled libraries: archives of objects that one node writes and others read; options
// that main has parsed, read on all nodes.
//
// links: -lboost_serialization -lboost_program_options
#include <omp.h>

#include <boost/archive/text_iarchive.hpp>
#include <boost/archive/text_oarchive.hpp>
#include <boost/program_options.hpp>
#include <boost/serialization/map.hpp>
#include <boost/serialization/string.hpp>
#include <boost/serialization/vector.hpp>
#include <cstdio>
#include <map>
#include <sstream>

// By pointer, so that archives keep track of it; exported classes are beyond what works, see
// docs/reference/libraries.md.
struct Square {
  int side = 0;
  template <typename Archive>
  void serialize(Archive& archive, unsigned) {
    archive & side;
  }
};

constexpr int kItems = 6;

std::string written_by(int number) {
  std::ostringstream text;
  boost::archive::text_oarchive archive(text);
  std::map<std::string, std::vector<int>> lists{{"a", {number, 2}},
                                                {"b", std::vector<int>(number, 7)}};
  const Square square{number};
  const Square* pointer = &square;
  archive << lists << pointer;
  return text.str();
}

int differences_in(const std::string& text, int number) {
  std::istringstream stream(text);
  boost::archive::text_iarchive archive(stream);
  std::map<std::string, std::vector<int>> lists;
  Square* square = nullptr;
  archive >> lists >> square;
  const int differences = (lists["a"][0] != number) +
                          (lists["b"].size() != static_cast<unsigned>(number)) +
                          (square->side != number);
  delete square;
  return differences;
}

int main() {
  namespace options = boost::program_options;
  options::options_description known("known");
  known.add_options()("depth", options::value<int>());
  options::variables_map values;
  options::store(options::command_line_parser({"--depth=7"}).options(known).run(), values);
  std::string texts[kItems];
  int differences = 0;
#pragma omp parallel for schedule(static, 1) reduction(+ : differences)
  for (int i = 0; i < kItems; ++i) {
    texts[i] = written_by(i);
    differences += values["depth"].as<int>() != 7;
  }
#pragma omp parallel for schedule(static, 1) reduction(+ : differences)
  for (int i = 0; i < kItems; ++i)
    differences += differences_in(texts[(i + 1) % kItems], (i + 1) % kItems);
  std::printf("%d differences\n", differences);
  if (differences == 0) std::puts("ok");
}
