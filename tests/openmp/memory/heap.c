// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory allocated by one thread, used, resized and freed by another, with every function of the
// malloc family.

#include <malloc.h>
#include <omp.h>
#include <stdint.h>
#include <string.h>

#include "../check.h"

enum { kMost = 1024, kKinds = 6 };
static unsigned char* block[kMost][kKinds];

static size_t size_of(int thread, int kind) { return (size_t)(kind * 700 + 13 * thread + 1); }

static unsigned char byte_at(int thread, int kind, size_t i) {
  return (unsigned char)(thread * 31 + kind * 7 + i);
}

static void allocate(int me) {
  void* aligned = NULL;
  EXPECT(posix_memalign(&aligned, 256, size_of(me, 3)) == 0, "posix_memalign failed.");
  EXPECT((uintptr_t)aligned % 256 == 0, "posix_memalign gave %p.", aligned);
  block[me][0] = malloc(size_of(me, 0));
  block[me][1] = calloc(size_of(me, 1), 1);
  block[me][2] = aligned_alloc(64, (size_of(me, 2) + 63) / 64 * 64);
  block[me][3] = aligned;
  block[me][4] = realloc(NULL, size_of(me, 4));
  block[me][5] = memalign(4096, size_of(me, 5));
  EXPECT((uintptr_t)block[me][2] % 64 == 0, "aligned_alloc gave %p.", (void*)block[me][2]);
  EXPECT((uintptr_t)block[me][5] % 4096 == 0, "memalign gave %p.", (void*)block[me][5]);
  for (size_t i = 0; i < size_of(me, 1); ++i)
    EXPECT(block[me][1][i] == 0, "calloc left a %d.", block[me][1][i]);
  for (int k = 0; k < kKinds; ++k) {
    EXPECT(block[me][k] != NULL, "Allocation %d of thread %d failed.", k, me);
    EXPECT(malloc_usable_size(block[me][k]) >= size_of(me, k), "Block %d is too small.", k);
    for (size_t i = 0; i < size_of(me, k); ++i) block[me][k][i] = byte_at(me, k, i);
  }
}

static void check_contents(int owner, int by) {
  for (int k = 0; k < kKinds; ++k)
    for (size_t i = 0; i < size_of(owner, k); ++i)
      EXPECT(block[owner][k][i] == byte_at(owner, k, i),
             "Thread %d reads %d at %zu in block %d of thread %d.", by, block[owner][k][i], i, k,
             owner);
}

static void resize(int owner) {
  for (int k = 0; k < kKinds; ++k) {
    const size_t size = k % 2 ? size_of(owner, k) * 5 : size_of(owner, k) / 2 + 1;
    const size_t kept = size < size_of(owner, k) ? size : size_of(owner, k);
    block[owner][k] = realloc(block[owner][k], size);
    EXPECT(block[owner][k] != NULL, "realloc failed.");
    for (size_t i = 0; i < kept; ++i)
      EXPECT(block[owner][k][i] == byte_at(owner, k, i), "realloc lost byte %zu of block %d.", i,
             k);
    for (size_t i = kept; i < size; ++i) block[owner][k][i] = 0xab;
  }
}

static void handed_round(void) {
#pragma omp parallel
  {
    const int me = omp_get_thread_num(), team = omp_get_num_threads();
    for (int round = 0; round < 3; ++round) {
      allocate(me);
#pragma omp barrier
      const int next = (me + 1) % team, other = (me + team / 2) % team;
      check_contents(next, me);
#pragma omp barrier
      resize(other);
#pragma omp barrier
      for (int k = 0; k < kKinds; ++k) free(block[next][k]);
#pragma omp barrier
    }
  }
}

// The main thread frees what others made, and the other way round; large blocks too.
static void main_and_others(void) {
  static long* chunk[kMost];
  static char* list[kMost * 20];
  for (int i = 0; i < 20 * omp_get_max_threads(); ++i) {
    list[i] = malloc(30 + i % 50);
    list[i][0] = (char)i;
  }
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    chunk[me] = malloc(1 << 20);
    for (int i = 0; i < 1 << 17; i += 512) chunk[me][i] = me + i;
#pragma omp for schedule(dynamic, 3)
    for (int i = 0; i < 20 * omp_get_num_threads(); ++i) {
      EXPECT(list[i][0] == (char)i, "list[%d] holds %d.", i, list[i][0]);
      free(list[i]);
    }
  }
  for (int t = 0; t < omp_get_max_threads(); ++t) {
    for (int i = 0; i < 1 << 17; i += 512)
      EXPECT(chunk[t][i] == t + i, "chunk[%d][%d] is %ld.", t, i, chunk[t][i]);
    free(chunk[t]);
  }
}

// Allocations by many threads at once never overlap.
static void churn(void) {
#pragma omp parallel
  {
    unsigned seed = 12345u + (unsigned)omp_get_thread_num();
    int* kept[40] = {0};
    const int mark = omp_get_thread_num() + 1;
    for (int round = 0; round < 600; ++round) {
      seed = seed * 1103515245u + 12345u;
      const int slot = (int)(seed >> 16) % 40, count = (int)(seed >> 8) % 200 + 2;
      if (kept[slot]) {
        for (int i = 1; i < kept[slot][0]; ++i)
          EXPECT(kept[slot][i] == mark, "A block of thread %d was overwritten.", mark - 1);
        free(kept[slot]);
      }
      kept[slot] = malloc(count * sizeof(int));
      kept[slot][0] = count;
      for (int i = 1; i < count; ++i) kept[slot][i] = mark;
    }
    for (int slot = 0; slot < 40; ++slot) free(kept[slot]);
  }
}

int main(void) {
  handed_round();
  main_and_others();
  churn();
  free(NULL);
  return ok();
}
