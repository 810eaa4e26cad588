// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plug-in, which needs another library of the program that is not there before.
// flags: -std=c++20
// libraries: inner.c
#include <omp.h>

#include <cstring>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "plugin.hpp"

extern "C" char* inner_text;

namespace {
std::vector<int> table(1000, 3);
std::map<std::string, int> names = {{"a", 1}, {"b", 2}};
thread_local int own = 9;
int constructions = 0;
struct Count {
  Count() { ++constructions; }
  ~Count() { std::cout << "ok" << std::endl; }
} count;

struct Plug final : Plugin {
  std::string describe() const override { return "plugin " + std::to_string(number); }
  int number = 4;
};

std::vector<int>& local() {
  static std::vector<int> result(10, 6);
  return result;
}
}  // namespace

extern "C" {
int counter = 5;

Plugin* make() { return new Plug; }
int times_constructed() { return constructions; }

// The number of threads for which all was right.
int run() {
  table[0] = 100;
  names["late"] = 3;
  counter = 77;
  int good = 0;
#pragma omp parallel reduction(+ : good)
  {
    std::ostringstream text;  // each node has its own locale
    text << counter << ' ' << names.at("late") << ' ' << local()[3] << ' ' << inner_text;
    good += table[0] == 100 && text.str() == "77 3 6 inner" && own == 9;
  }
  int own_sum = 0;
#pragma omp parallel copyin(own) reduction(+ : own_sum)
  own_sum += own;
  return own_sum == 9 * omp_get_max_threads() ? good : -1;
}
}
