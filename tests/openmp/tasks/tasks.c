// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks: trees with taskwait, groups, dependences, loops of tasks, and captured variables.

#include <omp.h>

#include "../check.h"

static long fibonacci(int n) {
  long a, b;
  if (n < 2) return n;
#pragma omp task shared(a) firstprivate(n) if (n > 8)
  a = fibonacci(n - 1);
#pragma omp task shared(b) firstprivate(n) if (n > 8)
  b = fibonacci(n - 2);
#pragma omp taskwait
  return a + b;
}

static void from_a_single(void) {
  long result = 0;
  static int done[100];
#pragma omp parallel
#pragma omp single
  {
    result = fibonacci(16);
    for (int i = 0; i < 100; ++i) {
#pragma omp task firstprivate(i)
      done[i] = i + 1;
    }
  }
  EXPECT(result == 987, "The Fibonacci number is %ld.", result);
  for (int i = 0; i < 100; ++i) EXPECT(done[i] == i + 1, "Task %d left %d.", i, done[i]);
}

static void from_every_thread(void) {
  long total = 0;
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    long mine = 0;
    for (int i = 0; i < 20; ++i) {
#pragma omp task shared(mine) firstprivate(i)
      {
#pragma omp atomic
        mine += i;
      }
    }
#pragma omp taskwait
    EXPECT(mine == 190, "Thread %d's tasks summed to %ld.", me, mine);
#pragma omp atomic
    total += mine;
  }
  EXPECT(total == 190L * omp_get_max_threads(), "The total is %ld.", total);
}

static void finished_by_a_barrier(void) {
  static int done[1024][4];
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    for (int i = 0; i < 4; ++i) {
#pragma omp task firstprivate(i, me)
      done[me][i] = me * 10 + i;
    }
#pragma omp barrier
    for (int t = 0; t < omp_get_num_threads(); ++t)
      for (int i = 0; i < 4; ++i)
        EXPECT(done[t][i] == t * 10 + i, "After the barrier thread %d sees %d of task %d of %d.",
               me, done[t][i], i, t);
  }
}

static void groups_and_dependences(void) {
  int x = 0, y = 0;
#pragma omp parallel
#pragma omp master
  {
#pragma omp taskgroup
    {
#pragma omp task depend(out : x) shared(x)
      x = 5;
#pragma omp task depend(in : x) depend(out : y) shared(x, y)
      y = x * 2;
#pragma omp task depend(inout : y) shared(y)
      y += 1;
    }
    EXPECT(y == 11, "The chain of tasks gave %d.", y);
  }
}

static void taskloop(void) {
  static int runs[300];
  long sum = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop grainsize(7)
    for (int i = 0; i < 300; ++i) runs[i] += 1;
#pragma omp taskloop reduction(+ : sum)
    for (int i = 0; i < 100; ++i) sum += i;
  }
  for (int i = 0; i < 300; ++i) EXPECT(runs[i] == 1, "Iteration %d ran %d times.", i, runs[i]);
  EXPECT(sum == 4950, "The taskloop's sum is %ld.", sum);
}

// A task of the serial part, with a variable of its own that a region uses.
static void made_by_the_serial_part(void) {
  static int cells[100];
  int own = 3;
#pragma omp task shared(cells) firstprivate(own)
  {
#pragma omp parallel for shared(own)
    for (int i = 0; i < 100; ++i) cells[i] = own + i;
  }
#pragma omp taskwait
  for (int i = 0; i < 100; ++i) EXPECT(cells[i] == 3 + i, "Cell %d is %d.", i, cells[i]);
}

int main(void) {
  from_a_single();
  from_every_thread();
  finished_by_a_barrier();
  groups_and_dependences();
  taskloop();
  made_by_the_serial_part();
  return ok();
}
