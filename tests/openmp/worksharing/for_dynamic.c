// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// schedule(dynamic) and schedule(guided): every iteration runs once, in whatever thread, for many
// counts and chunk sizes, and two loops in turn do not mix.

#include <omp.h>
#include <string.h>

#include "../check.h"

enum { kMost = 2000 };
static int runs[kMost], second[kMost];

static void check(const int* array, int count, const char* what, int chunk) {
  for (int i = 0; i < kMost; ++i)
    EXPECT(array[i] == (i < count), "%s, chunk %d: iteration %d of %d ran %d times.", what, chunk,
           i, count, array[i]);
}

static void dynamic(int count, int chunk) {
  memset(runs, 0, sizeof runs);
#pragma omp parallel for schedule(dynamic, chunk)
  for (int i = 0; i < count; ++i) {
#pragma omp atomic
    runs[i] += 1;
  }
  check(runs, count, "dynamic", chunk);
}

static void guided(int count, int chunk) {
  memset(runs, 0, sizeof runs);
#pragma omp parallel for schedule(guided, chunk)
  for (int i = 0; i < count; ++i) {
#pragma omp atomic
    runs[i] += 1;
  }
  check(runs, count, "guided", chunk);
}

static void one_after_another(int count) {
  memset(runs, 0, sizeof runs);
  memset(second, 0, sizeof second);
#pragma omp parallel
  {
#pragma omp for schedule(dynamic) nowait
    for (int i = 0; i < count; ++i) runs[i] += 1;
#pragma omp for schedule(guided) nowait
    for (int i = 0; i < count; ++i) second[i] += 1;
#pragma omp for schedule(dynamic, 4)
    for (int i = 0; i < count; ++i) {
#pragma omp atomic
      runs[kMost - 1 - i] += 10;
    }
  }
  for (int i = 0; i < count; ++i) {
    EXPECT(runs[i] == 1 && runs[kMost - 1 - i] == 10, "First loop, %d: %d, %d.", i, runs[i],
           runs[kMost - 1 - i]);
    EXPECT(second[i] == 1, "Second loop: iteration %d ran %d times.", i, second[i]);
  }
}

// A loop with one long iteration: all others run meanwhile, by whoever is free.
static void uneven(void) {
  long total = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : total)
  for (int i = 0; i < 64; ++i) {
    volatile long work = 0;
    for (int k = 0; k < (i == 0 ? 200000 : 100); ++k) work += 1;
    total += i + (work > 0);
  }
  EXPECT(total == 64 * 63 / 2 + 64, "The total is %ld.", total);
}

int main(void) {
  const int counts[] = {0, 1, 2, 3, 17, 300};
  const int chunks[] = {1, 2, 7, 1000};
  for (int c = 0; c < 6; ++c)
    for (int k = 0; k < 4; ++k) {
      dynamic(counts[c], chunks[k]);
      guided(counts[c], chunks[k]);
    }
  one_after_another(kMost / 2);
  uneven();
  return ok();
}
