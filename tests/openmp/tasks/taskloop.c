// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// taskloop: grainsize, num_tasks, strict, nogroup, collapse, firstprivate, lastprivate, if,
// descending and unsigned loops, taskloop simd, a loop without iterations.
// flags: -fopenmp-version=51

#include <limits.h>
#include <omp.h>

#include "../check.h"

enum { kLength = 1000 };
static int runs[kLength];
static int chunk_of[kLength];
static int chunks;

static void clear(void) {
  for (int i = 0; i < kLength; ++i) runs[i] = chunk_of[i] = 0;
  chunks = 0;
}

static void check(const char* what) {
  for (int i = 0; i < kLength; ++i) EXPECT(runs[i] == 1, "%s: %d ran %d times.", what, i, runs[i]);
  clear();
}

// Each chunk has its own copy of `mark`: its first iteration takes a number for it.
static void note(int i, int* mark) {
  if (*mark == 0) {
#pragma omp atomic capture
    *mark = ++chunks;
  }
  runs[i] += 1;
  chunk_of[i] = *mark;
}

static void check_sizes(const char* what, int least, int greatest) {
  int size = 1;
  for (int i = 1; i <= kLength; ++i) {
    if (i < kLength && chunk_of[i] == chunk_of[i - 1]) {
      ++size;
      continue;
    }
    EXPECT(size <= greatest && (size >= least || i == kLength), "%s: a chunk of %d.", what, size);
    size = 1;
  }
}

static void sizes(void) {
  int mark = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(13) firstprivate(mark)
  for (int i = 0; i < kLength; ++i) note(i, &mark);
  check_sizes("grainsize", 13, 25);
  check("grainsize");
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(strict : 13) firstprivate(mark)
  for (int i = 0; i < kLength; ++i) note(i, &mark);
  check_sizes("strict grainsize", 13, 13);
  EXPECT(chunks == (kLength + 12) / 13, "strict: %d chunks.", chunks);
  check("strict grainsize");
#pragma omp parallel
#pragma omp single
#pragma omp taskloop num_tasks(17) firstprivate(mark)
  for (int i = 0; i < kLength; ++i) note(i, &mark);
  EXPECT(chunks == 17, "num_tasks(17) made %d.", chunks);
  check("num_tasks");
#pragma omp parallel
#pragma omp single
#pragma omp taskloop num_tasks(5000)
  for (int i = 0; i < kLength; ++i) runs[i] += 1;
  check("more tasks than iterations");
}

static void forms(void) {
  int last = -1, after = -1;
  long visited = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop lastprivate(last, after) grainsize(9)
    for (after = 0; after < kLength; ++after) {
      last = after * 2;
      runs[after] += 1;
    }
    EXPECT(last == 2 * kLength - 2 && after == kLength, "lastprivate: %d, %d.", last, after);
    check("lastprivate");
#pragma omp taskloop collapse(2)
    for (int i = 0; i < 25; ++i)
      for (int k = 0; k < 40; ++k) runs[i * 40 + k] += 1;
    check("collapse");
#pragma omp taskloop nogroup
    for (int i = 0; i < kLength; ++i) runs[i] += 1;
#pragma omp taskwait
    check("nogroup");
#pragma omp taskloop
    for (int i = kLength - 1; i >= 0; i -= 1) runs[i] += 1;
    check("descending");
#pragma omp taskloop grainsize(3)
    for (unsigned long i = ULONG_MAX - 6; i < ULONG_MAX; i += 3) {
#pragma omp atomic
      visited += (long)(i - (ULONG_MAX - 6));
    }
    EXPECT(visited == 3, "The unsigned loop visited %ld.", visited);
#pragma omp taskloop simd
    for (int i = 0; i < kLength; ++i) runs[i] += 1;
    check("simd");
    const int me = omp_get_thread_num();
#pragma omp taskloop if (0)
    for (int i = 0; i < kLength; ++i) {
      EXPECT(omp_get_thread_num() == me, "An undeferred chunk is on another thread.");
      runs[i] += 1;
    }
    check("if(0)");
    for (int empty = 0; empty < 2; ++empty) {
#pragma omp taskloop
      for (int i = 5; i < 5; ++i) visited = -1;
    }
    EXPECT(visited == 3, "A loop without iterations had some.");
  }
}

static void nested(void) {
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(1)
  for (int i = 0; i < 10; ++i) {
#pragma omp taskloop grainsize(7)
    for (int k = 0; k < 100; ++k) runs[i * 100 + k] += 1;
    for (int k = 0; k < 100; ++k) {
      EXPECT(runs[i * 100 + k] == 1, "The inner loop of %d has not ended at %d.", i, k);
    }
  }
  check("nested");
}

static void everybody(void) {
  static int table[128][100];
#pragma omp parallel
  {
    int* mine = table[omp_get_thread_num()];
#pragma omp taskloop grainsize(4)
    for (int i = 0; i < 100; ++i) mine[i] += i;
    for (int i = 0; i < 100; ++i) EXPECT(mine[i] == i, "A thread's own loop left %d.", mine[i]);
#pragma omp barrier
    mine[0] = 0;
    for (int i = 0; i < 100; ++i) mine[i] = 0;
  }
}

int main(void) {
  for (int round = 0; round < 2; ++round) {
    sizes();
    forms();
    nested();
    everybody();
  }
  return ok();
}
