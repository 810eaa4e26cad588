// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// flags: -std=c++20
#include "shapes.hpp"

#include <cstdlib>
#include <iostream>

int made, destroyed;

namespace {
struct Static {
  Static() : contents(3000, 7) { ++made; }
  ~Static() {
    // After the program's own static objects, and once, with the last values.
    if (++destroyed != 1 || contents[2999] != 8 || table.at("late") != 5) std::abort();
    std::cout << "ok" << std::endl;
  }
  std::vector<int> contents;
} static_object;
}  // namespace

std::map<std::string, int> table = {{"one", 1}, {"two", 2}};
thread_local PerThread per_thread;
PerThread::PerThread() : own(10, 6) {}

Polygon::Polygon(int n) : corners(n, 1) { static_object.contents[2999] = 8; }
std::string Polygon::name() const { return "polygon of " + std::to_string(sides()); }

std::unique_ptr<Shape> make_polygon(int n) {
  if (n > 100) throw TooMany(n);
  return std::make_unique<Polygon>(n);
}

Shape* shared_shape() {
  static Polygon polygon(9);
  return &polygon;
}

std::vector<int>& local_of_inline_from_library() { return local_of_inline(); }
int* inline_variable_from_library() { return &inline_variable; }
std::vector<int>* holder_from_library() { return &Holder<int>::values; }
