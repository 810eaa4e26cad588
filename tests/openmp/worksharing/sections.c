// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections: each runs once, in some thread, more of them than threads and fewer.

#include <omp.h>
#include <string.h>

#include "../check.h"

static int runs[10];

static void ran(int section) {
#pragma omp atomic
  runs[section] += 1;
}

static void check(int from, int to, int times) {
  for (int s = 0; s < 10; ++s)
    EXPECT(runs[s] == (s >= from && s < to ? times : 0), "Section %d ran %d times.", s, runs[s]);
  memset(runs, 0, sizeof runs);
}

int main(void) {
#pragma omp parallel sections
  {
    ran(0);
#pragma omp section
    ran(1);
#pragma omp section
    ran(2);
#pragma omp section
    ran(3);
#pragma omp section
    ran(4);
#pragma omp section
    ran(5);
#pragma omp section
    ran(6);
#pragma omp section
    ran(7);
#pragma omp section
    ran(8);
#pragma omp section
    ran(9);
  }
  check(0, 10, 1);
#pragma omp parallel sections num_threads(1)
  {
#pragma omp section
    ran(4);
#pragma omp section
    ran(5);
  }
  check(4, 6, 1);
  int a = 1, sum = 0;
#pragma omp parallel
  for (int round = 0; round < 5; ++round) {
#pragma omp sections firstprivate(a) reduction(+ : sum)
    {
#pragma omp section
      {
        ran(0);
        sum += a;
      }
#pragma omp section
      {
        ran(1);
        sum += 10 * a;
      }
    }
#pragma omp sections
    {
#pragma omp section
      ran(2);
    }
  }
  EXPECT(sum == 55, "The sections' reduction gave %d.", sum);
  check(0, 3, 5);
  return ok();
}
