// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// setjmp and longjmp within the work of one thread or task, over calls that use Weft's entry
// points: out of locks' users, out of recursion, with local variables that others have written
// meanwhile.
#include <omp.h>
#include <setjmp.h>
#include <string.h>

#include "../check.h"

enum { kTries = 6, kCount = 64 };
static omp_lock_t lock;
static long counted;

static void climb(jmp_buf top, int depth, int limit) {
  char filling[300];
  memset(filling, depth, sizeof filling);
  if (depth == limit) {
    omp_set_lock(&lock);
    counted += 1;
    omp_unset_lock(&lock);
    longjmp(top, depth);
  }
  climb(top, depth + 1, limit);
  EXPECT(filling[299] == depth, "Nobody comes back here.");
}

static int once(int limit) {
  jmp_buf top;
  volatile int tries = 0;
  const int depth = setjmp(top);
  if (depth == 0 || ++tries < kTries) climb(top, 1, limit);
  return tries;
}

static void in_regions(void) {
  int threads = 0;
#pragma omp parallel
  {
#pragma omp single
    threads = omp_get_num_threads();
    EXPECT(once(5 + omp_get_thread_num()) == kTries, "It did not jump so often.");
  }
  EXPECT(counted == (long)threads * kTries, "%ld jumps were counted.", counted);
}

static void in_loops_and_tasks(void) {
  int left[kCount] = {0};
  counted = 0;
#pragma omp parallel
  {
#pragma omp for schedule(dynamic, 1)
    for (int i = 0; i < kCount; ++i) left[i] += once(i % 7 + 1);
#pragma omp single
    for (int i = 0; i < kCount; ++i) {
#pragma omp task firstprivate(i) shared(left)
      left[i] += once(i % 7 + 1);
    }
  }
  for (int i = 0; i < kCount; ++i) EXPECT(left[i] == 2 * kTries, "%d jumped %d times.", i, left[i]);
  EXPECT(counted == 2L * kCount * kTries, "%ld jumps were counted.", counted);
}

// The frame that is jumped back to is shared: others have written into it.
static void into_a_shared_frame(void) {
  volatile int seen[kCount] = {0};
  jmp_buf back;
  if (setjmp(back) == 0) {
#pragma omp parallel for
    for (int i = 0; i < kCount; ++i) seen[i] = i + 1;
    longjmp(back, 1);
  }
  for (int i = 0; i < kCount; ++i) EXPECT(seen[i] == i + 1, "Element %d is %d.", i, seen[i]);
}

int main(void) {
  omp_init_lock(&lock);
  in_regions();
  in_loops_and_tasks();
  for (int i = 0; i < 10; ++i) into_a_shared_frame();
  omp_destroy_lock(&lock);
  return ok();
}
