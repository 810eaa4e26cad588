// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A matrix in a vector of vectors: each step is a stencil from one to another.
// Arguments: ROWS COLUMNS STEPS.
#include <utility>
#include <vector>

#include "pattern.h"

using Matrix = std::vector<std::vector<double>>;

static void step(const Matrix& from, Matrix& to) {
#pragma omp parallel for
  for (std::size_t i = 1; i < from.size() - 1; ++i) {
    for (std::size_t j = 1; j < from[i].size() - 1; ++j)
      to[i][j] = 0.25 * (from[i - 1][j] + from[i + 1][j] + from[i][j - 1] + from[i][j + 1]);
  }
}

int main(int argc, char** argv) {
  const auto rows = static_cast<std::size_t>(argument(argc, argv, 1, 1000)),
             columns = static_cast<std::size_t>(argument(argc, argv, 2, 1000));
  const long steps = argument(argc, argv, 3, 50);
  Matrix a(rows, std::vector<double>(columns, 1)), b = a;
  for (std::size_t j = 0; j < columns; ++j) a[0][j] = b[0][j] = 2;
  Matrix c = a, d = a;
  step(a, b);
  const double start = omp_get_wtime();
  for (long each = 1; each < steps; ++each) {
    std::swap(a, b);
    step(a, b);
  }
  const double seconds = omp_get_wtime() - start;
  omp_set_num_threads(1);
  for (long each = 0; each < steps; ++each) {
    step(c, d);
    std::swap(c, d);
  }
  return finish(seconds, b == c ? 1 : 0, 1);
}
