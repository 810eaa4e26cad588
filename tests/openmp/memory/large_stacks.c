// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// environment: OMP_STACKSIZE=256M
//
// Arrays of 100 MiB on the stacks of a team's threads but the first, as programs have them that are
// run with a large OMP_STACKSIZE. Each thread looks at its own and at another one's.

#include <omp.h>

#include "../check.h"

enum { kLongs = 100 << 17, kStep = 1 << 16, kThreads = 64 };

static const volatile long* arrays[kThreads];

static void fill(volatile long* array, long with) {
  for (long i = 0; i < kLongs; i += kStep) array[i] = i + with;
}

static void expect(const volatile long* array, long with) {
  for (long i = 0; i < kLongs; i += kStep)
    EXPECT(array[i] == i + with, "There is %ld at %ld of thread %ld's.", array[i], i, with);
}

static int after(int thread) {
  const int others = omp_get_num_threads() - 1;
  return thread % others + 1;
}

__attribute__((noinline)) static void share_stack(int me) {
  volatile long array[kLongs];
  arrays[me] = array;
  fill(array, me);
#pragma omp barrier
  expect(array, me);
  expect(arrays[after(me)], after(me));
#pragma omp barrier
}

static void look_at_others(void) {
#pragma omp barrier
  for (int thread = 1; thread < omp_get_num_threads(); ++thread) expect(arrays[thread], thread);
#pragma omp barrier
}

int main(void) {
#pragma omp parallel
  if (omp_get_thread_num() == 0)
    look_at_others();
  else
    share_stack(omp_get_thread_num());
  return ok();
}
