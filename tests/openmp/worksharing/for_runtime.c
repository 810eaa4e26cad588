// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// schedule(runtime) under each kind that the program can set, schedule(auto), and the modifiers.

#include <omp.h>
#include <string.h>

#include "../check.h"

enum { kCount = 400 };
static int runs[kCount];

static void check(const char* what) {
  for (int i = 0; i < kCount; ++i)
    EXPECT(runs[i] == 1, "%s: iteration %d ran %d times.", what, i, runs[i]);
  memset(runs, 0, sizeof runs);
}

static void with_kind(omp_sched_t kind, int chunk, const char* what) {
  omp_set_schedule(kind, chunk);
  omp_sched_t kind_now;
  int chunk_now;
  omp_get_schedule(&kind_now, &chunk_now);
  EXPECT((kind_now & 0x7fffffff) == (kind & 0x7fffffff), "The schedule is %d after setting %d.",
         (int)kind_now, (int)kind);
#pragma omp parallel for schedule(runtime)
  for (int i = 0; i < kCount; ++i) runs[i] += 1;
  check(what);
#pragma omp parallel
  {
    omp_sched_t inside;
    int chunk_inside;
    omp_get_schedule(&inside, &chunk_inside);
    EXPECT((inside & 0x7fffffff) == (kind & 0x7fffffff), "Inside, the schedule is %d.",
           (int)inside);
#pragma omp for schedule(runtime) nowait
    for (int i = 0; i < kCount; ++i) runs[i] += 1;
  }
  check(what);
}

static void modifiers(void) {
#pragma omp parallel for schedule(monotonic : dynamic, 3)
  for (int i = 0; i < kCount; ++i) runs[i] += 1;
  check("monotonic dynamic");
#pragma omp parallel for schedule(nonmonotonic : dynamic, 3)
  for (int i = 0; i < kCount; ++i) runs[i] += 1;
  check("nonmonotonic dynamic");
#pragma omp parallel for schedule(monotonic : guided)
  for (int i = 0; i < kCount; ++i) runs[i] += 1;
  check("monotonic guided");
#pragma omp parallel for schedule(nonmonotonic : guided, 2)
  for (int i = 0; i < kCount; ++i) runs[i] += 1;
  check("nonmonotonic guided");
#pragma omp parallel for schedule(monotonic : static, 5)
  for (int i = 0; i < kCount; ++i) runs[i] += 1;
  check("monotonic static");
#pragma omp parallel for simd schedule(simd : static)
  for (int i = 0; i < kCount; ++i) runs[i] += 1;
  check("simd static");
#pragma omp parallel for schedule(auto)
  for (int i = 0; i < kCount; ++i) runs[i] += 1;
  check("auto");
#pragma omp parallel for schedule(monotonic : runtime)
  for (int i = 0; i < kCount; ++i) runs[i] += 1;
  check("monotonic runtime");
}

// A monotonic schedule gives a thread its iterations in rising order.
static void rising(void) {
#pragma omp parallel
  {
    int last = -1;
#pragma omp for schedule(monotonic : dynamic, 2)
    for (int i = 0; i < kCount; ++i) {
      EXPECT(i > last, "Iteration %d came after %d.", i, last);
      last = i;
    }
  }
}

int main(void) {
  with_kind(omp_sched_static, 0, "static");
  with_kind(omp_sched_static, 3, "static, 3");
  with_kind(omp_sched_dynamic, 1, "dynamic, 1");
  with_kind(omp_sched_dynamic, 16, "dynamic, 16");
  with_kind(omp_sched_guided, 1, "guided, 1");
  with_kind(omp_sched_guided, 8, "guided, 8");
  with_kind(omp_sched_auto, 0, "auto");
  modifiers();
  rising();
  return ok();
}
