// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parallel regions: of as many threads as there are by default, and of as many as can be.
#include <omp.h>

static int count(int wanted) {
  int threads = 0, seen = 0;
#pragma omp parallel num_threads(wanted) reduction(+ : seen)
  {
#pragma omp atomic
    ++threads;
#pragma omp barrier
    seen += threads == omp_get_num_threads();
  }
  return seen == threads ? threads : -1;
}

int default_threads(void) { return count(omp_get_max_threads()) == omp_get_max_threads(); }
int most_threads(void) { return count(1000) > 0; }
