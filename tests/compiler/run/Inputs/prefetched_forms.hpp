// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a form of a loop, which is a function of how it uses memory, twice: once it uses memory,
// once it says which.
#pragma once

#include <type_traits>

#include "prefetched.h"

namespace {

struct Stores {
  [[gnu::always_inline]] double operator()(double& at) const { return at = 1; }
};
struct Loads {
  [[gnu::always_inline]] double operator()(const double& at) const { return at; }
  [[gnu::always_inline]] void store(double& at, double value) const { at = value; }
};
template <typename Use>
struct Says {
  double operator()(const double& at) const {
    if constexpr (std::is_same_v<Use, Stores>) {
      stores_(&at);
    } else {
      uses_(&at);
    }
    return 0;
  }
  void store(const double& at, double /*value*/) const { stores_(&at); }
};

volatile double result;

// A number of which the compiler knows nothing.
int some(volatile int number) { return number; }

// A function of its own, which knows no sizes.
template <typename Form, typename Access>
[[gnu::noinline]] double run(Form form, Access access) {
  return form(access);
}

template <typename Use = Loads, typename Form>
void test(const char* name, Form form, int more = 0) {
  begins_();
  result = run(form, Use());
  run(form, Says<Use>());
  ends_(name, &more);
}

}  // namespace
