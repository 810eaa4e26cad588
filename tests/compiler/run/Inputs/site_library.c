// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop in a shared library.
double library_sum(const double* first, long count);

double library_sum(const double* first, long count) {
  double sum = 0;
  for (long i = 0; i < count; i++) sum += first[i];  // FULL-DAG: node 1: site {{.*}}site_library.c:[[#@LINE]]: calls 1, pages_prefetched 32{{(, late [0-9]+)?$}}
  return sum;
}
