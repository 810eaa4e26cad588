// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Very many regions of a few microseconds each, in a serial loop. Arguments: REGIONS ELEMENTS.
#include "pattern.h"

int main(int argc, char** argv) {
  const long regions = argument(argc, argv, 1, 1000000), elements = argument(argc, argv, 2, 20000);
  long* values = malloc(sizeof *values * (size_t)elements);
  for (long i = 0; i < elements; ++i) values[i] = i;
  const double start = omp_get_wtime();
  for (long region = 0; region < regions; ++region) {
#pragma omp parallel for
    for (long i = 0; i < elements; ++i) values[i] += i ^ region;
  }
  const double seconds = omp_get_wtime() - start;
  long found = 0, expected = 0;
  for (long i = 0; i < elements; i += elements / 16 + 1) {
    found += values[i];
    expected += i;
    for (long region = 0; region < regions; ++region) expected += i ^ region;
  }
  free(values);
  return finish(seconds, found, expected);
}
