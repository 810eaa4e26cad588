// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops inside functions, templates and lambdas: a library's parallel loop, and what is done in it
// comes as a function object. Arguments: SIZE STEPS.
#include <vector>

#include "pattern.h"

namespace {

template <typename Body>
void for_each_index(long count, Body body) {
#pragma omp parallel for
  for (long i = 0; i < count; ++i) body(i);
}

template <typename T>
class Grid {
 public:
  Grid(long rows, long columns, T value)
      : columns_(columns), cells_(static_cast<std::size_t>(rows * columns), value) {}
  T& operator()(long i, long j) { return cells_[static_cast<std::size_t>((i * columns_) + j)]; }
  bool operator==(const Grid& other) const { return cells_ == other.cells_; }

 private:
  long columns_;
  std::vector<T> cells_;
};

double mean(double a, double b) { return 0.5 * (a + b); }

void step(Grid<double>& u, Grid<double>& flux, long n) {
  for_each_index(n - 1, [&](long i) {
    for (long j = 0; j < n; ++j) flux(i, j) = mean(u(i, j), u(i + 1, j)) - u(i, j);
  });
  for_each_index(n - 2, [&](long i) {
    for (long j = 0; j < n; ++j) u(i + 1, j) += 0.5 * (flux(i + 1, j) - flux(i, j));
  });
}

void run(Grid<double>& u, Grid<double>& flux, long n, long steps) {
  for (long each = 0; each < steps; ++each) step(u, flux, n);
}

}  // namespace

int main(int argc, char** argv) {
  const long n = argument(argc, argv, 1, 1000), steps = argument(argc, argv, 2, 50);
  Grid<double> u(n, n, 1), flux(n, n, 0);
  for (long j = 0; j < n; ++j) u(n / 2, j) = static_cast<double>(j);
  Grid<double> again = u, other = flux;
  run(u, flux, n, 2);
  const double start = omp_get_wtime();
  run(u, flux, n, steps);
  const double seconds = omp_get_wtime() - start;
  omp_set_num_threads(1);
  run(again, other, n, steps + 2);
  return finish(seconds, u == again ? 1 : 0, 1);
}
