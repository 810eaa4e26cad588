// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library that clang made, with regions and tasks of its own: they stay on the node.
// libraries: plain.c plain
#include <omp.h>

#include "../../openmp/check.h"

double plain_sum(void);
int plain_tasks(int n);

int main(void) {
  EXPECT(plain_sum() == 3000.0 * 2999 / 2, "The sum is %g.", plain_sum());
  int tasks = 0;
#pragma omp parallel
  {
    // One thread of each node after the other, as they share the library's data.
    for (int i = 0; i < omp_get_num_threads(); ++i) {
#pragma omp barrier
      if (omp_get_thread_num() == i) {
        EXPECT(plain_sum() == 3000.0 * 2999 / 2, "The sum in a region is wrong.");
      }
    }
#pragma omp barrier
#pragma omp single
    tasks = plain_tasks(12);
  }
  EXPECT(tasks == 144232, "The tasks gave %d.", tasks);
  return ok();
}
