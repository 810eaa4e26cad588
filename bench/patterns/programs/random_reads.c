// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random reads of a large table that nobody writes any more, as a Monte Carlo lookup has.
// Arguments: MIB READS.
#include "pattern.h"

int main(int argc, char** argv) {
  const long words = argument(argc, argv, 1, 64) * (1 << 20) / (long)sizeof(long),
             reads = argument(argc, argv, 2, 200000);
  long* table = malloc(sizeof *table * (size_t)words);
#pragma omp parallel for
  for (long i = 0; i < words; ++i) table[i] = i * 3;
  long sum = 0, expected = 0;
  const double start = omp_get_wtime();
#pragma omp parallel for reduction(+ : sum)
  for (long i = 0; i < reads; ++i) sum += table[mixed((uint64_t)i) % (uint64_t)words];
  const double seconds = omp_get_wtime() - start;
  for (long i = 0; i < reads; ++i) expected += (long)(mixed((uint64_t)i) % (uint64_t)words) * 3;
  free(table);
  return finish(seconds, sum, expected);
}
