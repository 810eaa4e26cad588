// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sparse matrix in CSR times a vector, again and again, as an iterative solver does.
// Arguments: ROWS PER_ROW STEPS.
#include "pattern.h"

static void multiply(long rows, const long* first, const int* column, const double* value,
                     const double* x, double* y) {
#pragma omp parallel for
  for (long i = 0; i < rows; ++i) {
    double sum = 0;
    for (long k = first[i]; k < first[i + 1]; ++k) sum += value[k] * x[column[k]];
    y[i] = sum;
  }
}

int main(int argc, char** argv) {
  const long rows = argument(argc, argv, 1, 50000), per_row = argument(argc, argv, 2, 20),
             steps = argument(argc, argv, 3, 20);
  const long entries = rows * per_row;
  long* first = malloc(sizeof *first * (size_t)(rows + 1));
  int* column = malloc(sizeof *column * (size_t)entries);
  double* value = malloc(sizeof *value * (size_t)entries);
  double* x = malloc(sizeof *x * (size_t)rows);
  double* y = malloc(sizeof *y * (size_t)rows);
#pragma omp parallel for
  for (long i = 0; i < rows; ++i) {
    first[i + 1] = (i + 1) * per_row;
    x[i] = 1;
    for (long k = i * per_row; k < (i + 1) * per_row; ++k) {
      // Most are near the diagonal.
      const long away = (long)(mixed((uint64_t)k) % (k % 8 == 0 ? (uint64_t)rows : 2000));
      column[k] = (int)((i + away) % rows);
      value[k] = 1.0 / (double)per_row;
    }
  }
  first[0] = 0;
  multiply(rows, first, column, value, x, y);
  const double start = omp_get_wtime();
  for (long each = 1; each < steps; ++each) {
    double* old = x;
    x = y;
    y = old;
    multiply(rows, first, column, value, x, y);
  }
  const double seconds = omp_get_wtime() - start;
  long near_one = 0;
  for (long i = 0; i < rows; ++i) near_one += y[i] > 0.999999 && y[i] < 1.000001;
  return finish(seconds, near_one, rows);
}
