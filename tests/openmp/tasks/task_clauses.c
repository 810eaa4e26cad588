// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// if, final, mergeable, untied, priority, firstprivate of arrays and structures, taskyield, and
// what a task may ask about itself.

#include <omp.h>

#include "../check.h"

static void undeferred_and_final(void) {
  int order = 0, depth = 0;
#pragma omp parallel
#pragma omp single
  {
    const int me = omp_get_thread_num();
#pragma omp task if (0) shared(order)
    {
      EXPECT(omp_get_thread_num() == me, "An undeferred task ran on another thread.");
      order = 1;
    }
    EXPECT(order == 1, "The creator went on before its undeferred task had ended.");
#pragma omp task final(1) shared(depth)
    {
      EXPECT(omp_in_final(), "A final task does not know.");
      const int mine = omp_get_thread_num();
#pragma omp task shared(depth)
      {
        EXPECT(omp_in_final() && omp_get_thread_num() == mine, "Not included in a final task.");
        depth = 1;
      }
      EXPECT(depth == 1, "An included task was deferred.");
#pragma omp taskloop
      for (int i = 0; i < 4; ++i) {
        EXPECT(omp_get_thread_num() == mine, "A chunk was not included.");
#pragma omp atomic
        depth += 1;
      }
      EXPECT(depth == 5, "The included loop left %d.", depth);
    }
#pragma omp taskwait
    EXPECT(!omp_in_final(), "The implicit task is final.");
  }
  EXPECT(depth == 5, "The final task left %d.", depth);
}

struct Point {
  double x[5];
  int tag;
};

static void captured(void) {
  static long sums[64];
#pragma omp parallel
#pragma omp single
  {
    int table[40];
    struct Point point;
    for (int t = 0; t < 64; ++t) {
      for (int i = 0; i < 40; ++i) table[i] = t + i;
      for (int i = 0; i < 5; ++i) point.x[i] = t * i;
      point.tag = t;
#pragma omp task firstprivate(table, point) untied mergeable
      {
        long sum = point.tag;
        for (int i = 0; i < 40; ++i) sum += table[i];
        for (int i = 0; i < 5; ++i) sum += (long)point.x[i];
        sums[point.tag] = sum;
      }
    }
  }
  for (int t = 0; t < 64; ++t) {
    const long expected = t + 40L * t + 780 + 10L * t;
    EXPECT(sums[t] == expected, "Task %d computed %ld, not %ld.", t, sums[t], expected);
  }
}

static void yielding_and_priority(void) {
  static int done[50];
  int flag = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 50; ++i) {
#pragma omp task priority(i) firstprivate(i) shared(flag)
      {
        done[i] = 1;
#pragma omp atomic seq_cst
        flag += 1;
      }
    }
    int now = 0;
    while (now < 50) {
#pragma omp taskyield
#pragma omp atomic read seq_cst
      now = flag;
    }
  }
  for (int i = 0; i < 50; ++i) EXPECT(done[i] == 1, "Task %d was not executed.", i);
}

static void many(void) {
  // More than are kept waiting: the creator executes some itself.
  long sum = 0;
  static char ran[5000];
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 5000; ++i) {
#pragma omp task firstprivate(i)
    ran[i] += 1;
  }
  for (int i = 0; i < 5000; ++i) sum += ran[i] == 1;
  EXPECT(sum == 5000, "%ld of 5000 tasks ran once.", sum);
}

static void several_makers(void) {
  static int done[256][6];
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    for (int i = 0; i < 6; ++i) {
#pragma omp task firstprivate(i, me)
      {
#pragma omp task
        done[me][i] += 1;
      }
    }
#pragma omp barrier
    for (int t = 0; t < omp_get_num_threads(); ++t)
      for (int i = 0; i < 6; ++i)
        EXPECT(done[t][i] == 1, "Thread %d sees %d in task %d of %d.", me, done[t][i], i, t);
#pragma omp barrier
#pragma omp task
    {
#pragma omp taskgroup
      {
#pragma omp task
        {
#pragma omp task
          done[me][0] = 10;
        }
      }
      EXPECT(done[me][0] == 10, "A group ended before a task's task.");
    }
  }
}

int main(void) {
  undeferred_and_final();
  captured();
  yielding_and_priority();
  many();
  several_makers();
  return ok();
}
