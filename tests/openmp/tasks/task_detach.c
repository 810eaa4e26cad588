// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// detach: a task is complete when its event is fulfilled, by whatever thread of whatever node.

#include <omp.h>

#include "../check.h"

enum { kTasks = 12 };
static omp_event_handle_t events[kTasks];
static int order[kTasks], bodies;

static void fulfilled_elsewhere(void) {
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < kTasks; ++i) {
      omp_event_handle_t event;
#pragma omp task detach(event) depend(out : order[i])
      {
#pragma omp atomic
        bodies += 1;
      }
      events[i] = event;
#pragma omp task depend(in : order[i]) firstprivate(i)
      {
        EXPECT(order[i] == 2, "The dependent of task %d ran before its event: %d.", i, order[i]);
        order[i] = 3;
      }
    }
    for (int i = 0; i < kTasks; ++i) {
#pragma omp task firstprivate(i)
      {
        order[i] = 2;
        omp_fulfill_event(events[i]);
      }
    }
#pragma omp taskwait
    for (int i = 0; i < kTasks; ++i) EXPECT(order[i] == 3, "Task %d is at %d.", i, order[i]);
    EXPECT(bodies == kTasks, "%d of %d bodies were executed.", bodies, kTasks);
  }
}

static void fulfilled_inside(void) {
  int x = 0;
#pragma omp parallel
#pragma omp single
  {
    omp_event_handle_t event;
#pragma omp taskgroup
    {
#pragma omp task detach(event) shared(x)
      {
        x = 1;
        omp_fulfill_event(event);
      }
    }
    EXPECT(x == 1, "The group ended with %d.", x);
  }
}

int main(void) {
  fulfilled_elsewhere();
  fulfilled_inside();
  return ok();
}
