// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clauses of tasks together: detach with depend, in_reduction in taskloops inside task groups,
// priority with depend, nested locks in tasks with dependences, tasks of tasks with final and if.
// flags: -fopenmp-version=51

#include <omp.h>
#include <string.h>

#include "../check.h"

enum { kCount = 60, kWide = 3000 };

// A detached task's successors wait for its event, which another task fulfils.
static void detach_and_depend(void) {
  omp_event_handle_t events[kCount];
  int data[kCount + 1] = {1}, early = 0, fulfilled[kCount] = {0};
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < kCount; ++i) {
      omp_event_handle_t event;
#pragma omp task detach(event) depend(in : data[i]) depend(out : data[i + 1]) firstprivate(i) \
    shared(data)
      data[i + 1] = data[i] + 1;
      events[i] = event;
#pragma omp task depend(in : data[i + 1]) firstprivate(i) shared(early, fulfilled)
      {
        int done;
#pragma omp atomic read seq_cst
        done = fulfilled[i];
        if (!done) {
#pragma omp atomic update
          ++early;
        }
      }
#pragma omp task firstprivate(i, event) shared(fulfilled)
      {
#pragma omp atomic write seq_cst
        fulfilled[i] = 1;
        omp_fulfill_event(event);
      }
    }
  }
  EXPECT(early == 0, "%d tasks began before the event.", early);
  EXPECT(data[kCount] == kCount + 1, "The chain gave %d.", data[kCount]);
}

// A group's reduction that tasks, taskloops and tasks of tasks take part in.
static long deep;
static void add_below(int depth) {
#pragma omp task in_reduction(+ : deep) firstprivate(depth)
  {
    deep += depth;
    if (depth > 0) {
      add_below(depth - 1);
      add_below(depth - 1);
    }
#pragma omp taskwait
  }
}
static void reductions(void) {
  long total = 0, wide[16] = {0}, expected = 0;
  double product = 1;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup task_reduction(+ : total, wide) task_reduction(* : product)
  {
#pragma omp taskloop in_reduction(+ : total, wide) grainsize(7) nogroup
    for (int i = 0; i < kWide; ++i) {
      total += i;
      wide[i % 16] += 1;
    }
#pragma omp taskloop in_reduction(* : product) num_tasks(5) nogroup
    for (int i = 0; i < 20; ++i) product *= i % 2 == 0 ? 2 : 0.5;
    for (int i = 0; i < 10; ++i) {
#pragma omp task in_reduction(+ : total) firstprivate(i)
      total += i;
    }
  }
  expected = (long)kWide * (kWide - 1) / 2 + 45;
  EXPECT(total == expected, "The sum is %ld, not %ld.", total, expected);
  EXPECT(product == 1, "The product is %g.", product);
  for (int i = 0; i < 16; ++i)
    EXPECT(wide[i] == kWide / 16 + (i < kWide % 16), "Element %d is %ld.", i, wide[i]);
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup task_reduction(+ : deep)
  add_below(6);
  // 2^k tasks at depth 6 - k.
  expected = 0;
  for (int k = 0; k <= 6; ++k) expected += (1L << k) * (6 - k);
  EXPECT(deep == expected, "The sum of the tree is %ld, not %ld.", deep, expected);
}

// Each thread's own reduction over tasks, in a loop, and in sections.
static void modifiers(void) {
  long of_region = 0, of_loop = 0, of_sections = 0;
  int threads = 0;
#pragma omp parallel reduction(task, + : of_region)
  {
#pragma omp single
    threads = omp_get_num_threads();
    for (int i = 0; i < 5; ++i) {
#pragma omp task in_reduction(+ : of_region)
      of_region += 3;
    }
  }
#pragma omp parallel
  {
#pragma omp for reduction(task, + : of_loop)
    for (int i = 0; i < 100; ++i) {
#pragma omp task in_reduction(+ : of_loop) firstprivate(i)
      of_loop += i;
    }
#pragma omp sections reduction(task, + : of_sections)
    {
#pragma omp section
      {
#pragma omp task in_reduction(+ : of_sections)
        of_sections += 1;
      }
#pragma omp section
      {
#pragma omp task in_reduction(+ : of_sections)
        of_sections += 10;
      }
    }
  }
  EXPECT(of_region == 15L * threads, "The region's sum is %ld.", of_region);
  EXPECT(of_loop == 4950, "The loop's sum is %ld.", of_loop);
  EXPECT(of_sections == 11, "The sections' sum is %ld.", of_sections);
}

// A nest lock that a task holds while it calls functions that take it again; tasks are tied, and
// the lock belongs to the task.
static omp_nest_lock_t nest;
static long guarded, deepest;
static void down(int depth) {
  omp_set_nest_lock(&nest);
  guarded += 1;
  if (depth > 0) down(depth - 1);
  const int levels = omp_test_nest_lock(&nest);
  EXPECT(levels > 0, "Its own lock is not its.");
  if (levels - 1 > deepest) deepest = levels - 1;
  omp_unset_nest_lock(&nest);
  omp_unset_nest_lock(&nest);
}
static void nest_locks(void) {
  omp_init_nest_lock(&nest);
  int data = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kCount; ++i) {
#pragma omp task firstprivate(i)
    down(i % 5);
#pragma omp task depend(inout : data) shared(data) priority(i % 3)
    {
      omp_set_nest_lock(&nest);
      ++data;
      omp_unset_nest_lock(&nest);
    }
  }
  omp_destroy_nest_lock(&nest);
  EXPECT(guarded == kCount / 5 * 15, "Tasks counted to %ld.", guarded);
  EXPECT(deepest == 5, "The deepest nest has %ld levels.", deepest);
  EXPECT(data == kCount, "The chain has %d links.", data);
}

static int fibonacci(int n) {
  int a, b;
  if (n < 2) return n;
#pragma omp task shared(a) firstprivate(n) final(n < 6) mergeable
  a = fibonacci(n - 1);
#pragma omp task shared(b) firstprivate(n) if (n > 4)
  b = fibonacci(n - 2);
#pragma omp taskwait
  return a + b;
}

int main(void) {
  detach_and_depend();
  reductions();
  modifiers();
  nest_locks();
  int result = 0;
#pragma omp parallel
#pragma omp single
  result = fibonacci(14);
  EXPECT(result == 377, "fibonacci(14) is %d.", result);
  return ok();
}
