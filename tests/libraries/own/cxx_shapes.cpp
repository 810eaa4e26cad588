// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A C++ program and its library: what headers define in both, virtual functions, run-time types and
// exceptions across the border, static objects, thread-local ones. The library says "ok" at the
// end.
//
// libraries: shapes.cpp
#include "../lib/shapes.hpp"

#include <omp.h>

#include <typeinfo>

#include "../../openmp/check.h"

static void one_of_both() {
  EXPECT(inline_variable_from_library() == &inline_variable, "There are two inline variables.");
  EXPECT(holder_from_library() == &Holder<int>::values, "There are two static members.");
  inline_variable = 12;
  Holder<int>::values.assign(1000, 3);
#pragma omp parallel
  {
    EXPECT(*inline_variable_from_library() == 12, "The library has %d.", inline_variable);
    EXPECT(holder_from_library()->at(999) == 3, "The static member is wrong.");
#pragma omp critical
    local_of_inline_from_library()[omp_get_thread_num()] = 5;
#pragma omp barrier
    for (int i = 0; i < omp_get_num_threads(); ++i)
      EXPECT(local_of_inline()[i] == 5, "The static local variable is not one.");
  }
}

static void objects() {
  std::vector<std::unique_ptr<Shape>> shapes(64);
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    shapes[me] = make_polygon(me + 3);
#pragma omp barrier
    for (int i = 0; i < omp_get_num_threads(); ++i) {
      const Shape& shape = *shapes[i];
      EXPECT(shape.sides() == i + 3, "A shape has %d sides.", shape.sides());
      const auto* named = dynamic_cast<const Named*>(&shape);
      EXPECT(named != nullptr && named->name() == "polygon of " + std::to_string(i + 3),
             "The name is wrong.");
      EXPECT(typeid(shape) == typeid(Polygon), "The type is %s.", typeid(shape).name());
    }
    EXPECT(shared_shape()->sides() == 9, "The static shape is wrong.");
  }
#pragma omp parallel for
  for (int i = 0; i < 64; ++i) shapes[i].reset();  // by whoever
}

static void exceptions() {
  int caught = 0;
#pragma omp parallel reduction(+ : caught)
  {
    try {
      make_polygon(101 + omp_get_thread_num());
    } catch (const TooMany& error) {
      caught += error.number == 101 + omp_get_thread_num();
    }
    try {
      make_polygon(1000);
    } catch (const std::exception& error) {
      caught += std::string(error.what()) == "too many";
    }
  }
  EXPECT(caught == 2 * omp_get_max_threads(), "%d exceptions were right.", caught);
}

static void static_objects() {
  EXPECT(made == 1, "The static object was made %d times.", made);
  table["late"] = 5;
#pragma omp parallel
  {
    EXPECT(made == 1 && table.at("two") == 2 && table.at("late") == 5, "The table is wrong.");
    EXPECT(per_thread.own[9] == 6, "The thread's own object is wrong.");
    per_thread.own[9] = omp_get_thread_num();
  }
#pragma omp parallel
  EXPECT(per_thread.own[9] == omp_get_thread_num(), "It has become %d.", per_thread.own[9]);
}

int main() {
  one_of_both();
  objects();
  exceptions();
  static_objects();
  return 0;
}
