// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks of no length at all, in a team of many more threads than processors: the others come to see
// them, although whoever makes them begins the region first. Chance has a part in it, so a few
// regions may be another way.

#include <omp.h>

#include "../check.h"

enum { kRegions = 12, kTasks = 500, kThreads = 64 };
static int executed_by[kTasks];

static int shared_out(void) {
  int by_others = 0;
  for (int i = 0; i < kTasks; ++i) by_others += executed_by[i] != executed_by[0];
  return by_others > 0;
}

static void taskloop(void) {
#pragma omp parallel num_threads(kThreads)
#pragma omp single
#pragma omp taskloop num_tasks(kTasks)
  for (int i = 0; i < kTasks; ++i) executed_by[i] = omp_get_thread_num();
}

static void tasks(void) {
#pragma omp parallel num_threads(kThreads)
#pragma omp single
  for (int i = 0; i < kTasks; ++i) {
#pragma omp task firstprivate(i)
    executed_by[i] = omp_get_thread_num();
  }
}

int main(void) {
  int loops = 0, others = 0;
  for (int region = 0; region < kRegions; ++region) {
    taskloop();
    loops += shared_out();
    tasks();
    others += shared_out();
  }
  EXPECT(loops >= kRegions - 3, "Of %d taskloops %d were shared out.", kRegions, loops);
  EXPECT(others >= kRegions - 3, "In %d of %d regions tasks were shared out.", others, kRegions);
  return ok();
}
