// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that call functions with loops in them: those of prefetches_calls.c; and methods, templates
// and lambdas.
#include "prefetches_calls.h"

#include <initializer_list>

#include "prefetched_forms.hpp"

namespace {

constexpr int kLine = 120, kWidth = 300;

void in_c(int n) {
  const auto both = [&](const char* name, auto use, auto say, int more) {
    begins_();
    use();
    say();
    ends_(name, &more);
  };
  both("lines", [=] { lines(memory, n); }, [=] { says_lines(memory, n); }, 0);
  both("by address", [=] { by_address(memory, n); }, [=] { says_by_address(memory, n); }, 0);
  // Two lines side by side are one, with all between.
  both(
      "through two", [=] { result = through_two(memory, n); },
      [=] { result = says_through_two(memory, n); }, n * (kWidth - kLine));
  // What is not used is prefetched in vain, and not said to be stored to.
  for (const int flag : {3, 4}) {
    const int in_vain = flag > 3 ? 0 : n * kLine;
    both(
        "sometimes", [=] { sometimes(memory, n, flag); }, [=] { says_sometimes(memory, n, flag); },
        in_vain);
    both(
        "returns early", [=] { returns_early(memory, n, flag); },
        [=] { says_returns_early(memory, n, flag); }, in_vain);
  }
  const int length = some(kLine);
  both("until", [&] { until(memory, n, &length); }, [&] { says_until(memory, n, &length); }, 0);
}

class Matrix {
 public:
  template <typename Use>
  [[gnu::noinline]] double sum_of_row(long at, Use use) {
    double sum = 0;
    for (long j = 0; j < kLine; j++) sum += use(first_[(at * width_) + j]);
    return sum;
  }
  long width_ = some(kWidth);
  double* first_ = memory + 11;
};

template <typename Body>
[[gnu::noinline]] double for_each(double* all, Body body) {
  double sum = 0;
  for (long i = 0; i < kLine; i++) sum += body(all[2 * i]);
  return sum;
}

struct Line {
  double* first;
  long step, from, more;
};

template <typename Body>
[[gnu::noinline]] double for_line(Line line, Body body) {
  double sum = 0;
  for (long i = 0; i < kLine; i++) sum += body(line.first[line.from + (i * line.step)]);
  return sum;
}

void in_cxx(int n, int threads) {
  Matrix matrix;
  test("a method", [&](auto use) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += matrix.sum_of_row(i, use);
    return sum;
  });
  test<Stores>("a template and a lambda", [=](auto use) {
    for (int j = 0; j < n; j++)
      for_each(memory + (j * kWidth), [=](double& each) { return use(each); });
    return 0.0;
  });
  test<Stores>("an argument by value", [=](auto use) {
    for (int j = 0; j < n; j++) for_line(Line{memory + (j * kWidth), 2, 5, 0}, use);
    return 0.0;
  });
#pragma omp parallel num_threads(threads)
  test<Stores>("shares of threads", [=](auto use) {
#pragma omp for
    for (int j = 0; j < n; j++) for_each(memory + (j * kWidth), use);
    return 0.0;
  });
}

}  // namespace

int main() {
  in_c(some(200));
  in_cxx(some(200), 1);
  in_cxx(some(200), 3);
  done_();
  return 0;
}
