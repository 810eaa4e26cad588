// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a loop promises of its chunks: a monotonic one gives each thread ascending iterations;
// lastprivate has the value of the last iteration, whoever ran it; ordered regions run in order
// even where some iterations skip them; the loop variable's type may wrap.

#include <limits.h>
#include <omp.h>

#include "check.h"

enum { kIterations = 500 };

static int times[kIterations];
static int order[kIterations];

static void expect_once(int expected) {
  for (int i = 0; i < kIterations; ++i) {
    EXPECT(times[i] == expected, "Iteration %d ran %d times, not %d.", i, times[i], expected);
  }
}

static void monotonic(void) {
#pragma omp parallel
  {
    int before = -1;
#pragma omp for schedule(monotonic : dynamic, 7)
    for (int i = 0; i < kIterations; ++i) {
      EXPECT(i > before, "Iteration %d came after %d.", i, before);
      before = i;
      times[i] += 1;
    }
    before = -1;
#pragma omp for schedule(monotonic : guided)
    for (int i = 0; i < kIterations; ++i) {
      EXPECT(i > before, "Iteration %d came after %d.", i, before);
      before = i;
      times[i] += 1;
    }
  }
  expect_once(2);
}

static void last_values(void) {
  for (int round = 0; round < 20; ++round) {
    int last = -1;
    long also = -1;
#pragma omp parallel for schedule(dynamic, 3) lastprivate(last, also)
    for (int i = 0; i < kIterations; ++i) {
      last = i;
      also = 3L * i;
    }
    EXPECT(last == kIterations - 1 && also == 3L * last, "The last values are %d and %ld.", last,
           also);
  }
}

static void ordered_with_gaps(void) {
  for (int chunk = 1; chunk <= 5; chunk += 2) {
    int position = 0;
#pragma omp parallel for ordered schedule(dynamic, chunk)
    for (int i = 0; i < kIterations; ++i) {
      if (i % 3 == 1) continue;
#pragma omp ordered
      order[position++] = i;
    }
    for (int i = 0, expected = 0; i < position; ++i, ++expected) {
      if (expected % 3 == 1) ++expected;
      EXPECT(order[i] == expected, "At place %d is %d, not %d.", i, order[i], expected);
    }
  }
}

static void ordered_static(void) {
  int position = 0;
#pragma omp parallel
  {
#pragma omp for ordered schedule(static, 3) nowait
    for (int i = 0; i < 100; ++i) {
#pragma omp ordered
      order[position++] = i;
    }
#pragma omp for ordered
    for (int i = 100; i < 200; ++i) {
#pragma omp ordered
      {
        EXPECT(i >= 100, "%d", i);
        times[i] += 1;
      }
    }
  }
  for (int i = 0; i < 100; ++i) EXPECT(order[i] == i, "At place %d is %d.", i, order[i]);
  for (int i = 100; i < 200; ++i) EXPECT(times[i] == 3, "%d ran %d times.", i, times[i]);
}

static void at_the_ends_of_types(void) {
  long long count = 0;
#pragma omp parallel for schedule(dynamic, 11) reduction(+ : count)
  for (int i = INT_MAX - 1000; i < INT_MAX; ++i) count += i > 0;
  EXPECT(count == 1000, "%lld iterations near INT_MAX.", count);
  count = 0;
#pragma omp parallel for schedule(dynamic, 100000000) reduction(+ : count)
  for (unsigned i = 5; i < 4290000005U; i += 100000) ++count;
  EXPECT(count == 42900, "%lld iterations of an unsigned loop.", count);
  count = 0;
#pragma omp parallel for schedule(guided) reduction(+ : count)
  for (long long i = LLONG_MIN; i < LLONG_MIN + 1000; ++i) ++count;
  EXPECT(count == 1000, "%lld iterations near LLONG_MIN.", count);
  count = 0;
#pragma omp parallel for schedule(nonmonotonic : dynamic) reduction(+ : count)
  for (int i = 10; i < 10; ++i) ++count;
  EXPECT(count == 0, "%lld iterations of an empty loop.", count);
}

static void many_in_flight(void) {
  for (int i = 0; i < kIterations; ++i) times[i] = 0;
#pragma omp parallel
  for (int loop = 0; loop < 30; ++loop) {
#pragma omp for schedule(dynamic, 5) nowait
    for (int i = 0; i < kIterations; ++i) {
#pragma omp atomic
      times[i] += 1;
    }
  }
  expect_once(30);
}

int main(void) {
  monotonic();
  last_values();
  ordered_with_gaps();
  ordered_static();
  at_the_ends_of_types();
  many_in_flight();
  return ok();
}
