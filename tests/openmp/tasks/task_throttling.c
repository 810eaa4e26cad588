// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// environment: KMP_ENABLE_TASK_THROTTLING=false
//
// A thread that makes far more tasks than anybody executes goes on making them.

#include <omp.h>
#include <stdatomic.h>

#include "../check.h"

enum { kTasks = 5000 };

static atomic_int made, executed, begun_early;

int main(void) {
  if (omp_get_max_threads() == 1) return ok();  // its tasks are executed where they are made
#pragma omp parallel
#pragma omp single
  {
    const int maker = omp_get_thread_num();
    for (int i = 0; i < kTasks; ++i) {
#pragma omp task
      {
        if (omp_get_thread_num() == maker && atomic_load(&made) < kTasks) ++begun_early;
        while (atomic_load(&made) < kTasks) {  // on any other thread
        }
        ++executed;
      }
      ++made;
    }
  }
  EXPECT(executed == kTasks, "%d tasks were executed.", executed);
  EXPECT(begun_early == 0, "The maker executed %d tasks before it had made all.", begun_early);
  return ok();
}
