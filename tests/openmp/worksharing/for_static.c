// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// schedule(static): not only must every iteration run once, the standard says which thread runs it.

#include <omp.h>
#include <string.h>

#include "../check.h"

enum { kMost = 1000 };
static int owner[kMost];

static void clear(void) { memset(owner, -1, sizeof owner); }

static void check_contiguous(int count) {
  int last = 0;
  for (int i = 0; i < count; ++i) {
    EXPECT(owner[i] >= last, "Iteration %d of %d went to thread %d, after thread %d.", i, count,
           owner[i], last);
    EXPECT(owner[i] < omp_get_max_threads(), "Iteration %d went to thread %d.", i, owner[i]);
    last = owner[i];
  }
  for (int i = count; i < kMost; ++i) EXPECT(owner[i] == -1, "Iteration %d is not there.", i);
}

static void unchunked(int count) {
  clear();
#pragma omp parallel for schedule(static)
  for (int i = 0; i < count; ++i) owner[i] = omp_get_thread_num();
  check_contiguous(count);
}

static void chunked(int count, int chunk) {
  clear();
#pragma omp parallel for schedule(static, chunk)
  for (int i = 0; i < count; ++i) owner[i] = omp_get_thread_num();
  for (int i = 0; i < count; ++i)
    EXPECT(owner[i] == i / chunk % omp_get_max_threads(),
           "Iteration %d with chunk %d went to thread %d.", i, chunk, owner[i]);
}

// Two loops alike give the same iterations to the same threads, so no barrier is needed between.
static void same_threads_without_barrier(void) {
  static double a[kMost], b[kMost];
#pragma omp parallel
  {
#pragma omp for schedule(static) nowait
    for (int i = 0; i < kMost; ++i) a[i] = i;
#pragma omp for schedule(static) nowait
    for (int i = 0; i < kMost; ++i) b[i] = 2 * a[i];
  }
  for (int i = 0; i < kMost; ++i) EXPECT(b[i] == 2.0 * i, "b[%d] is %g.", i, b[i]);
}

int main(void) {
  const int counts[] = {0, 1, 2, 7, 64, 999, 1000};
  const int chunks[] = {1, 2, 5, 64, 5000};
  for (int c = 0; c < 7; ++c) {
    unchunked(counts[c]);
    for (int k = 0; k < 5; ++k) chunked(counts[c], chunks[k]);
  }
  same_threads_without_barrier();
  return ok();
}
