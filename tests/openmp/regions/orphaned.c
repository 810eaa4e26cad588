// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Worksharing and synchronisation in functions that are called from a region, from nested calls,
// and from no region at all.

#include <omp.h>

#include "../check.h"

enum { kCount = 500 };
static int owner[kCount];
static int singles, sections_run, criticals;

static void loop(int offset) {
#pragma omp for schedule(dynamic, 3)
  for (int i = 0; i < kCount; ++i) owner[i] += i + offset;
}

static void once(void) {
#pragma omp single
  singles += 1;
}

static void pieces(void) {
#pragma omp sections
  {
#pragma omp section
#pragma omp atomic
    sections_run += 1;
#pragma omp section
#pragma omp atomic
    sections_run += 10;
  }
}

static void guarded(void) {
#pragma omp critical(orphan)
  criticals += 1;
#pragma omp barrier
}

static void all(int depth) {
  if (depth > 0) {
    all(depth - 1);
    return;
  }
  loop(1);
  once();
  pieces();
  guarded();
}

static void check(int rounds, int threads) {
  for (int i = 0; i < kCount; ++i)
    EXPECT(owner[i] == rounds * (i + 1), "Element %d is %d.", i, owner[i]);
  EXPECT(singles == rounds, "The single ran %d times.", singles);
  EXPECT(sections_run == 11 * rounds, "The sections add up to %d.", sections_run);
  EXPECT(criticals == threads, "The critical section ran %d times.", criticals);
}

int main(void) {
  all(0);
  check(1, 1);
#pragma omp parallel
  all(5);
  check(2, 1 + omp_get_max_threads());
#pragma omp parallel if (0)
  all(2);
  check(3, 2 + omp_get_max_threads());
  return ok();
}
