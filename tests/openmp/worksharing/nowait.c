// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops, sections and singles without their closing barrier, and a barrier that then counts.

#include <omp.h>
#include <string.h>

#include "../check.h"

enum { kCount = 600 };
static int first[kCount], second[kCount], third[kCount];
static int singles, section_sum;

int main(void) {
#pragma omp parallel
  {
#pragma omp for schedule(static) nowait
    for (int i = 0; i < kCount; ++i) first[i] = i + 1;
#pragma omp for schedule(dynamic, 5) nowait
    for (int i = 0; i < kCount; ++i) second[i] = i + 2;
#pragma omp single nowait
    singles += 1;
#pragma omp sections nowait
    {
#pragma omp section
#pragma omp atomic
      section_sum += 1;
#pragma omp section
#pragma omp atomic
      section_sum += 2;
#pragma omp section
#pragma omp atomic
      section_sum += 4;
    }
#pragma omp for schedule(guided) nowait
    for (int i = 0; i < kCount; ++i) third[i] = i + 3;
#pragma omp barrier
    for (int i = 0; i < kCount; ++i)
      EXPECT(first[i] == i + 1 && second[i] == i + 2 && third[i] == i + 3,
             "After the barrier thread %d sees %d, %d, %d at %d.", omp_get_thread_num(), first[i],
             second[i], third[i], i);
    EXPECT(singles == 1, "The single ran %d times.", singles);
    EXPECT(section_sum == 7, "The sections add up to %d.", section_sum);
  }

  // Many loops in flight: fast threads run ahead by more loops than a runtime keeps buffers for.
  memset(first, 0, sizeof first);
#pragma omp parallel
  {
    for (int round = 0; round < 30; ++round) {
#pragma omp for schedule(dynamic) nowait
      for (int i = 0; i < 20; ++i) {
#pragma omp atomic
        first[round * 20 + i] += 1;
      }
    }
  }
  for (int i = 0; i < kCount; ++i) EXPECT(first[i] == 1, "Iteration %d ran %d times.", i, first[i]);
  return ok();
}
