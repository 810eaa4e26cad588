// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parallel regions: every thread takes part once, and sees the variables that it should.

#include <omp.h>
#include <string.h>

#include "../check.h"

static int in_data = 5;
static int in_bss[3000];

static void every_thread_once(void) {
  enum { kMost = 1024 };
  int visits[kMost] = {0};  // on the main thread's stack
  int team = 0;
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
#pragma omp atomic
    visits[me] += 1;
    if (me == 0) team = omp_get_num_threads();
  }
  EXPECT(team == omp_get_max_threads(), "The team has %d threads, not %d.", team,
         omp_get_max_threads());
  for (int t = 0; t < kMost; ++t)
    EXPECT(visits[t] == (t < team), "Thread %d ran %d times.", t, visits[t]);
}

static void clauses(void) {
  int a = 1, b = 2, c = 3;
  const int d = 4;
  int sum = 0;
#pragma omp parallel default(none) firstprivate(a) private(b) shared(c, d, sum)
  {
    EXPECT(a == 1, "The firstprivate variable starts as %d.", a);
    a += omp_get_thread_num();
    b = a + c + d;
    EXPECT(b == 8 + omp_get_thread_num(), "The private variable holds %d.", b);
#pragma omp atomic
    sum += b;
  }
  const int n = omp_get_max_threads();
  EXPECT(a == 1 && b == 2, "A private variable changed outside: %d, %d.", a, b);
  EXPECT(sum == 8 * n + n * (n - 1) / 2, "The sum is %d.", sum);
}

static void many_arguments(void) {
  int v[12];
  double x = 0.5, y = 0.25;
  float f = 1.5f;
  char text[16] = "weaving";
  long wide = 1L << 40;
  short narrow = -3;
  for (int i = 0; i < 12; ++i) v[i] = i;
  int bad = 0;
#pragma omp parallel firstprivate(v, x, f, text, wide, narrow) shared(y) reduction(+ : bad)
  {
    for (int i = 0; i < 12; ++i) bad += v[i] != i;
    bad += x != 0.5 || y != 0.25 || f != 1.5f || strcmp(text, "weaving") || wide != 1L << 40 ||
           narrow != -3;
    v[3] = 0;
    text[0] = 'x';
    x = y = 0.25;
  }
  EXPECT(bad == 0, "%d firstprivate values were wrong.", bad);
  EXPECT(v[3] == 3 && text[0] == 'w' && x == 0.5, "A firstprivate variable changed outside.");
}

static void many_regions(void) {
  in_data = 0;
  for (int round = 0; round < 50; ++round) {
#pragma omp parallel
    {
      EXPECT(in_data == round, "In round %d the count is %d.", round, in_data);
#pragma omp barrier
      if (omp_get_thread_num() == round % omp_get_num_threads()) in_data = round + 1;
    }
    EXPECT(in_data == round + 1, "After round %d the count is %d.", round, in_data);
  }
}

int main(void) {
  every_thread_once();
  clauses();
  many_arguments();
  many_regions();
#pragma omp parallel
  in_bss[omp_get_thread_num() * 2] = omp_get_thread_num() + 1;
  for (int t = 0; t < omp_get_max_threads(); ++t)
    EXPECT(in_bss[2 * t] == t + 1 && in_bss[2 * t + 1] == 0, "Thread %d's write is missing.", t);
  return ok();
}
