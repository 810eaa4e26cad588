// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// single runs once for each time the team meets it, and what it wrote is seen after it.

#include <omp.h>

#include "../check.h"

int main(void) {
  int runs = 0, value = 0, loose = 0;
#pragma omp parallel
  {
    for (int round = 1; round <= 40; ++round) {
#pragma omp single
      {
        runs += 1;
        value = round * 7;
      }
      EXPECT(value == round * 7, "In round %d thread %d sees %d.", round, omp_get_thread_num(),
             value);
#pragma omp barrier
    }
    for (int round = 0; round < 40; ++round) {
#pragma omp single nowait
      {
#pragma omp atomic
        loose += 1;
      }
    }
#pragma omp single
    {
      int inside = 3;
      for (int i = 0; i < 4; ++i) inside *= 2;
      runs += inside == 48 ? 0 : 1000;
    }
  }
  EXPECT(runs == 40, "The single ran %d times.", runs);
  EXPECT(loose == 40, "The single nowait ran %d times.", loose);
  int outside = 0;
#pragma omp single
  outside = 1;
  EXPECT(outside == 1, "A single outside of a region did not run.");
  return ok();
}
