// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// lastprivate: the value of the last iteration or section, wherever it ran; with firstprivate too.
//
// Dynamic schedules are monotonic here: libomp 22 often reports the wrong iteration as the last one
// under a nonmonotonic dynamic schedule, which is the default, even on one machine.

#include <omp.h>
#include <string.h>

#include "../check.h"

typedef struct {
  int number;
  double values[20];
  char text[12];
} Compound;

static void in_loops(void) {
  int x = -1;
  long wide = -1;
  double real = -1;
  Compound compound = {-1, {0}, ""};
  int array[300];
#pragma omp parallel for schedule(static) lastprivate(x, wide, real, compound, array)
  for (int i = 0; i < 137; ++i) {
    x = i;
    wide = (long)i << 33;
    real = i * 0.5;
    compound.number = 2 * i;
    compound.values[19] = i;
    memcpy(compound.text, "thread", 7);
    for (int k = 0; k < 300; ++k) array[k] = i + k;
  }
  EXPECT(x == 136 && wide == 136L << 33 && real == 68.0, "Got %d, %ld, %g.", x, wide, real);
  EXPECT(compound.number == 272 && compound.values[19] == 136 && !strcmp(compound.text, "thread"),
         "The struct holds %d, %g, %s.", compound.number, compound.values[19], compound.text);
  for (int k = 0; k < 300; ++k) EXPECT(array[k] == 136 + k, "array[%d] is %d.", k, array[k]);
}

static void under_schedules(void) {
  int x = 0, i = 0;
#pragma omp parallel for schedule(monotonic : dynamic) lastprivate(x)
  for (int k = 0; k < 101; ++k) x = k;
  EXPECT(x == 100, "dynamic: %d.", x);
#pragma omp parallel for schedule(guided, 3) lastprivate(x)
  for (int k = 100; k > 0; k -= 3) x = k;
  EXPECT(x == 1, "guided, falling: %d.", x);
#pragma omp parallel for schedule(static, 2) lastprivate(i)
  for (i = 0; i < 55; ++i) x = i;
  EXPECT(i == 55, "The loop variable is %d.", i);
#pragma omp parallel
  {
#pragma omp for schedule(monotonic : dynamic, 7) lastprivate(x)
    for (int k = 0; k < 64; ++k) x = 10 * k;
    EXPECT(x == 630, "After the loop thread %d sees %d.", omp_get_thread_num(), x);
  }
}

static void with_firstprivate(void) {
  int base = 40, last = 3;
#pragma omp parallel for firstprivate(base, last) lastprivate(last) schedule(static)
  for (int i = 0; i < 30; ++i) last = base + i;
  EXPECT(base == 40 && last == 69, "Got %d, %d.", base, last);
}

static void in_sections(void) {
  int x = 0;
#pragma omp parallel sections lastprivate(x)
  {
#pragma omp section
    x = 1;
#pragma omp section
    x = 2;
#pragma omp section
    x = 3;
  }
  EXPECT(x == 3, "The last section's value is %d.", x);
}

int main(void) {
  in_loops();
  under_schedules();
  with_firstprivate();
  in_sections();
  return ok();
}
