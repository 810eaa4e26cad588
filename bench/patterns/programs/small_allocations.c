// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A hundred small arrays that each step allocates, fills in parallel, uses and frees again, as
// hydrodynamics codes do. Arguments: STEPS ARRAYS ELEMENTS.
#include "pattern.h"

static long step(long arrays, long elements, long number) {
  long total = 0;
  for (long array = 0; array < arrays; ++array) {
    long* values = malloc(sizeof *values * (size_t)elements);
#pragma omp parallel for
    for (long i = 0; i < elements; ++i) values[i] = i * number + array;
    long sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (long i = 0; i < elements; ++i) sum += values[elements - 1 - i];
    total += sum;
    free(values);
  }
  return total;
}

int main(int argc, char** argv) {
  const long steps = argument(argc, argv, 1, 50), arrays = argument(argc, argv, 2, 100),
             elements = argument(argc, argv, 3, 8000);
  long found = 0, expected = 0;
  const double start = omp_get_wtime();
  for (long number = 0; number < steps; ++number) found += step(arrays, elements, number);
  const double seconds = omp_get_wtime() - start;
  for (long number = 0; number < steps; ++number)
    expected +=
        arrays * (elements * (elements - 1) / 2 * number) + elements * (arrays * (arrays - 1) / 2);
  return finish(seconds, found, expected);
}
