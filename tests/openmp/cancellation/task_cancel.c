// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cancel taskgroup: tasks that have not begun are dropped, those that have begun end at their next
// cancellation point or their end, and what comes after the group is as ever.
// environment: OMP_CANCELLATION=true

#include <omp.h>
#include <sched.h>

#include "../check.h"

enum { kTasks = 60 };

// The group ends though one task never would without the cancellation.
static void search(void) {
  int begun = 0, after = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup
    {
      for (int i = 0; i < kTasks; ++i) {
#pragma omp task shared(begun) firstprivate(i)
        {
#pragma omp atomic
          begun += 1;
          if (i == 3) {
#pragma omp cancel taskgroup
            fail(__FILE__, __LINE__, "A task went on after it cancelled its group.");
          }
          // With one thread alone nobody could cancel it.
          while (i == 2 && omp_get_num_threads() > 1) {
#pragma omp cancellation point taskgroup
            sched_yield();
          }
        }
      }
    }
    for (int i = 0; i < 20; ++i) {
#pragma omp task shared(after)
      {
#pragma omp atomic
        after += 1;
      }
    }
  }
  EXPECT(begun >= 1 && begun <= kTasks, "%d of %d tasks began.", begun, kTasks);
  EXPECT(after == 20, "After the cancelled group %d of 20 tasks ran.", after);
}

// Tasks that depend on the one that cancels cannot have begun: all are dropped.
static void dropped(void) {
  int x = 0, ran = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup
  {
#pragma omp task depend(out : x) shared(x)
    {
#pragma omp cancel taskgroup
    }
    for (int i = 0; i < 50; ++i) {
#pragma omp task depend(inout : x) shared(ran)
      {
#pragma omp atomic
        ran += 1;
      }
    }
  }
  EXPECT(ran == 0, "%d tasks ran that were to be dropped.", ran);
}

int main(void) {
  for (int round = 0; round < 3; ++round) {
    search();
    dropped();
  }
  return ok();
}
