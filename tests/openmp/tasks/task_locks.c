// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks that use critical regions, locks and atomics, and wait for their children while they hold
// nothing; tasks made inside a critical region.

#include <omp.h>

#include "../check.h"

enum { kTasks = 60, kCells = 7 };
static long cells[kCells], guarded, atomic_sum;
static omp_lock_t locks[kCells];
static int made_inside[kTasks];

int main(void) {
  for (int i = 0; i < kCells; ++i) omp_init_lock(&locks[i]);
#pragma omp parallel
  {
#pragma omp single nowait
    for (int i = 0; i < kTasks; ++i) {
#pragma omp task firstprivate(i)
      {
        const int cell = i % kCells;
        omp_set_lock(&locks[cell]);
        cells[cell] += i;
        omp_unset_lock(&locks[cell]);
#pragma omp task firstprivate(i)
        {
#pragma omp critical(sum)
          guarded += i;
        }
#pragma omp taskwait
#pragma omp atomic
        atomic_sum += i;
      }
    }
#pragma omp critical(sum)
    {
      guarded += 1;
      for (int i = omp_get_thread_num(); i < kTasks; i += omp_get_num_threads()) {
#pragma omp task firstprivate(i)
        made_inside[i] += 1;
      }
    }
  }
  const long all = (long)kTasks * (kTasks - 1) / 2;
  long sum = 0;
  for (int i = 0; i < kCells; ++i) sum += cells[i];
  EXPECT(sum == all, "Under locks: %ld, not %ld.", sum, all);
  EXPECT(guarded == all + omp_get_max_threads(), "In critical regions: %ld.", guarded);
  EXPECT(atomic_sum == all, "By atomics: %ld.", atomic_sum);
  for (int i = 0; i < kTasks; ++i) EXPECT(made_inside[i] == 1, "Task %d: %d.", i, made_inside[i]);
  return ok();
}
