// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// environment: OMP_NUM_THREADS=4,2,3 OMP_MAX_ACTIVE_LEVELS=3
//
// A list of numbers of threads, one for each level of nested regions: the outermost team may span
// nodes, the others are inside of them, and every thread is told the truth about all levels.

#include <omp.h>
#include <string.h>

#include "../check.h"

enum { kOuter = 4, kMiddle = 2, kInner = 3 };
static int seen[kOuter][kMiddle][kInner];

static void check_level(int level, const int* numbers, const int* sizes, int max_threads) {
  EXPECT(omp_get_level() == level, "Level %d, not %d.", omp_get_level(), level);
  EXPECT(omp_get_active_level() == level, "Active level %d, not %d.", omp_get_active_level(),
         level);
  EXPECT(omp_get_thread_num() == numbers[level] && omp_get_num_threads() == sizes[level],
         "Thread %d of %d at level %d.", omp_get_thread_num(), omp_get_num_threads(), level);
  EXPECT(omp_get_max_threads() == max_threads,
         "At level %d a region would have %d threads, not %d.", level, omp_get_max_threads(),
         max_threads);
  for (int outer = 0; outer <= level; ++outer) {
    EXPECT(omp_get_ancestor_thread_num(outer) == numbers[outer] &&
               omp_get_team_size(outer) == sizes[outer],
           "Level %d is thread %d of %d, not %d of %d.", outer, omp_get_ancestor_thread_num(outer),
           omp_get_team_size(outer), numbers[outer], sizes[outer]);
  }
}

static void run_levels(int outer_size) {
  memset(seen, 0, sizeof seen);
#pragma omp parallel
  {
    int numbers[4] = {0, omp_get_thread_num(), 0, 0};
    const int sizes[4] = {1, outer_size, kMiddle, kInner};
    check_level(1, numbers, sizes, kMiddle);
#pragma omp parallel firstprivate(numbers)
    {
      numbers[2] = omp_get_thread_num();
      check_level(2, numbers, sizes, kInner);
#pragma omp parallel firstprivate(numbers)
      {
        numbers[3] = omp_get_thread_num();
        check_level(3, numbers, sizes, kInner);
        int* const mine = &seen[numbers[1]][numbers[2]][numbers[3]];
        __atomic_fetch_add(mine, 1, __ATOMIC_RELAXED);
      }
    }
  }
  for (int i = 0; i < kOuter * kMiddle * kInner; ++i) {
    const int expected = i / (kMiddle * kInner) < outer_size ? 1 : 0;
    EXPECT((&seen[0][0][0])[i] == expected, "Thread %d ran %d times.", i, (&seen[0][0][0])[i]);
  }
}

int main(void) {
  EXPECT(omp_get_max_threads() == kOuter, "%d threads at first.", omp_get_max_threads());
  run_levels(kOuter);
  // This changes the outermost level alone.
  omp_set_num_threads(3);
  run_levels(3);
  run_levels(3);
  omp_set_num_threads(kOuter);
  run_levels(kOuter);
  return ok();
}
