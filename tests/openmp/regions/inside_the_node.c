// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What stays inside a node, in the middle of a team that spans several: tasks and their reductions,
// nested teams, leagues, serialised regions, and parallel regions that tasks begin.

#include <omp.h>

#include "../check.h"

static int fibonacci(int n) {
  if (n < 2) return n;
  int a, b;
#pragma omp task shared(a)
  a = fibonacci(n - 1);
#pragma omp task shared(b)
  b = fibonacci(n - 2);
#pragma omp taskwait
  return a + b;
}

static void tasks(void) {
  int sum = 0;
#pragma omp parallel reduction(+ : sum)
  {
    // Each thread makes its own.
    sum += fibonacci(10);
    int mine = 0;
#pragma omp taskgroup task_reduction(+ : mine)
    for (int i = 1; i <= 10; ++i) {
#pragma omp task in_reduction(+ : mine) firstprivate(i)
      mine += i;
    }
    EXPECT(mine == 55, "The tasks summed to %d.", mine);
    sum += mine;
  }
  EXPECT(sum == 110 * omp_get_max_threads(), "The sum is %d.", sum);
}

static void reduction_with_tasks(void) {
  for (int round = 0; round < 5; ++round) {
    int sum = 1000;
#pragma omp parallel reduction(task, + : sum)
    {
#pragma omp single nowait
      for (int i = 1; i <= 20; ++i) {
#pragma omp task in_reduction(+ : sum) firstprivate(i)
        sum += i;
      }
      sum += 1;
    }
    EXPECT(sum == 1210 + omp_get_max_threads(), "The sum is %d.", sum);
  }
}

static void nested(void) {
  omp_set_max_active_levels(2);
  int threads = 0;
#pragma omp parallel reduction(+ : threads)
  {
    const int me = omp_get_thread_num();
    const int active = omp_get_num_threads() > 1 ? 2 : 1;
    int inner = 0, loops = 0;
#pragma omp parallel num_threads(2) reduction(+ : inner, loops)
    {
      EXPECT(omp_get_num_threads() == 2, "The inner team has %d.", omp_get_num_threads());
      EXPECT(omp_get_ancestor_thread_num(1) == me, "Ancestor %d, not %d.",
             omp_get_ancestor_thread_num(1), me);
      EXPECT(omp_in_parallel(), "Not in a parallel region?");
      EXPECT(omp_get_level() == 2 && omp_get_active_level() == active, "Levels %d, %d.",
             omp_get_level(), omp_get_active_level());
      inner += 1;
#pragma omp for schedule(dynamic)
      for (int i = 0; i < 10; ++i) loops += 1;
#pragma omp critical
      inner += 10;
    }
    EXPECT(inner == 22 && loops == 10, "The inner team counted %d and %d.", inner, loops);
    EXPECT(omp_get_thread_num() == me, "I am %d, not %d.", omp_get_thread_num(), me);
    threads += 1;
  }
  EXPECT(threads == omp_get_max_threads(), "%d threads.", threads);
  omp_set_max_active_levels(1);
}

static void league(void) {
  int teams = 0;
#pragma omp teams num_teams(2) reduction(+ : teams)
  {
    int local = 0;
#pragma omp parallel reduction(+ : local)
    local += 1;
    teams += local > 0;
  }
  EXPECT(teams >= 1 && teams <= 2, "%d teams.", teams);
  int sum = 0;
#pragma omp teams distribute parallel for reduction(+ : sum)
  for (int i = 0; i < 1000; ++i) sum += i;
  EXPECT(sum == 499500, "The league summed to %d.", sum);
}

static void from_a_task(void) {
  int sum = 0;
#pragma omp task shared(sum)
  {
    int local = 0;
#pragma omp parallel reduction(+ : local)
    local += 1;
    sum = local;
  }
#pragma omp taskwait
  EXPECT(sum >= 1, "The task's team has %d.", sum);
}

static void serialised(void) {
  for (int round = 0; round < 3; ++round) {
    int inside = 0, after = 0;
#pragma omp parallel if (round < 0)
    {
      EXPECT(omp_get_num_threads() == 1, "A serial team of %d.", omp_get_num_threads());
#pragma omp for
      for (int i = 0; i < 50; ++i) inside += 1;
#pragma omp parallel reduction(+ : inside)
      inside += 1;
    }
    EXPECT(inside > 50, "%d", inside);
#pragma omp parallel reduction(+ : after)
    after += 1;
    EXPECT(after == omp_get_max_threads(), "%d threads after a serial region.", after);
  }
}

int main(void) {
  tasks();
  reduction_with_tasks();
  nested();
  league();
  from_a_task();
  serialised();
  return ok();
}
