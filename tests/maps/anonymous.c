// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Anonymous maps are the program's memory on all nodes, whoever maps, uses and unmaps them, and are
// zero at first, also at an address that was mapped before.

#define _GNU_SOURCE
#include <errno.h>
#include <omp.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "check.h"

enum { kInts = 262144, kMost = 1024, kBytes = 5 * 4096 };

static void* anonymous(size_t bytes, int more) {
  void* p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | more, -1, 0);
  EXPECT(p != MAP_FAILED, "mmap of %zu bytes failed.", bytes);
  return p;
}

static void sum(void) {
  int* v = anonymous(kInts * sizeof(int), 0);
#pragma omp parallel for
  for (int i = 0; i < kInts; ++i) v[i] = i;
  long long total = 0;
  for (int i = 0; i < kInts; ++i) total += v[i];
  EXPECT(total == 34359607296, "The sum is %lld.", total);
  EXPECT(munmap(v, kInts * sizeof(int)) == 0, "munmap failed.");
}

// Each thread maps, its neighbour writes, the next unmaps; again and again at the same addresses.
static void handed_round(void) {
  static unsigned char* map[kMost];
#pragma omp parallel
  {
    const int me = omp_get_thread_num(), team = omp_get_num_threads();
    for (int round = 0; round < 6; ++round) {
      map[me] = anonymous(kBytes, round % 2 ? MAP_NORESERVE : 0);
      for (int i = 0; i < kBytes; ++i) EXPECT(map[me][i] == 0, "Byte %d is %d.", i, map[me][i]);
#pragma omp barrier
      const int next = (me + 1) % team, after = (me + 2) % team;
      memset(map[next], me + 1, kBytes);
#pragma omp barrier
      const int writer = (after + team - 1) % team + 1;
      for (int i = 0; i < kBytes; i += 99)
        EXPECT(map[after][i] == writer, "Byte %d is %d, not %d.", i, map[after][i], writer);
      EXPECT(munmap(map[after], kBytes) == 0, "munmap failed.");
#pragma omp barrier
    }
  }
}

static void huge(void) {
  const size_t bytes = (size_t)64 << 30;
  char* p = anonymous(bytes, MAP_NORESERVE);
#pragma omp parallel
  p[(bytes / 4096 / (size_t)omp_get_num_threads()) * 4096 * (size_t)omp_get_thread_num()] = 7;
  int found = 0;
  for (int t = 0; t < omp_get_max_threads(); ++t)
    found += p[(bytes / 4096 / (size_t)omp_get_max_threads()) * 4096 * (size_t)t];
  EXPECT(found == 7 * omp_get_max_threads(), "%d was found.", found);
  EXPECT(munmap(p, bytes) == 0, "munmap failed.");
  p = anonymous(bytes, MAP_NORESERVE);
  for (int t = 0; t < omp_get_max_threads(); ++t)
    EXPECT(p[(bytes / 4096 / (size_t)omp_get_max_threads()) * 4096 * (size_t)t] == 0, "Not zero.");
  EXPECT(munmap(p, bytes) == 0, "munmap failed.");
}

// A reservation in which parts are committed, cut out and mapped again.
static void pieces(void) {
  char* p = mmap(NULL, 16 * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  EXPECT(p != MAP_FAILED, "A reservation failed.");
  EXPECT(mprotect(p + 4096, 8 * 4096, PROT_READ | PROT_WRITE) == 0, "mprotect failed.");
#pragma omp parallel for
  for (int i = 1; i < 9; ++i) memset(p + 4096 * i, i, 4096);
  EXPECT(munmap(p + 2 * 4096, 2 * 4096) == 0, "munmap of a part failed.");
  char* again = mmap(p + 2 * 4096, 4 * 4096, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  EXPECT(again == p + 2 * 4096, "MAP_FIXED gave %p.", (void*)again);
#pragma omp parallel for
  for (int i = 1; i < 9; ++i) {
    const int expected = i >= 2 && i < 6 ? 0 : i;
    for (int k = 0; k < 4096; ++k)
      EXPECT(p[4096 * i + k] == expected, "Page %d holds %d.", i, p[4096 * i + k]);
  }
  EXPECT(madvise(p + 7 * 4096, 4096, MADV_DONTNEED) == 0, "madvise failed.");
  EXPECT(madvise(p + 8 * 4096, 4096, MADV_WILLNEED) == 0, "madvise failed.");
  EXPECT(mlock(p + 8 * 4096, 4096) == 0 && munlock(p + 8 * 4096, 4096) == 0, "mlock failed.");
  EXPECT(mlockall(MCL_CURRENT | MCL_FUTURE) == 0 && munlockall() == 0, "mlockall failed.");
  EXPECT(mlockall(0) == -1 && errno == EINVAL, "mlockall of nothing");
#pragma omp parallel
  EXPECT(p[7 * 4096] == 0 && p[8 * 4096] == 8, "%d and %d.", p[7 * 4096], p[8 * 4096]);
  EXPECT(munmap(p, 16 * 4096) == 0, "munmap failed.");
}

static void remapped(void) {
  static unsigned char* p;
  p = anonymous(3 * 4096, 0);
#pragma omp parallel for
  for (int i = 0; i < 3 * 4096; ++i) p[i] = (unsigned char)(i / 7);
#pragma omp parallel
  {
    for (int t = 0; t < omp_get_num_threads(); ++t) {
      const size_t bytes = (size_t)(t + 3) * 4096;
#pragma omp barrier
      if (t == omp_get_thread_num()) {
        p = mremap(p, bytes, bytes + 4096, MREMAP_MAYMOVE);
        EXPECT(p != MAP_FAILED, "mremap failed.");
      }
#pragma omp barrier
      EXPECT(p[bytes - 1] == (t == 0 ? (unsigned char)((bytes - 1) / 7) : 1), "Lost.");
      for (size_t i = bytes; i < bytes + 4096; ++i) EXPECT(p[i] == 0, "New byte %d.", p[i]);
#pragma omp barrier
      if (t == omp_get_thread_num()) memset(p + bytes, 1, 4096);
    }
#pragma omp barrier
    for (int i = 0; i < 3 * 4096; ++i) EXPECT(p[i] == (unsigned char)(i / 7), "Byte %d.", i);
  }
  p = mremap(p, (size_t)(omp_get_max_threads() + 3) * 4096, 4096, 0);
  EXPECT(p != MAP_FAILED && p[4095] == (unsigned char)(4095 / 7), "mremap to less failed.");
  EXPECT(munmap(p, 4096) == 0, "munmap failed.");
}

static void wrong_arguments(void) {
  EXPECT(mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED, "0 bytes.");
  EXPECT(mmap(NULL, 1, PROT_READ, MAP_ANONYMOUS, -1, 0) == MAP_FAILED, "Neither kind.");
  char* p = anonymous(4096, 0);
  EXPECT(munmap(p + 1, 4096) == -1, "munmap at an odd address.");
  EXPECT(madvise(p + 1, 4096, MADV_DONTNEED) == -1, "madvise at an odd address.");
  unsigned char resident = 0;
  p[0] = 1;
  EXPECT(mincore(p, 4096, &resident) == 0 && resident == 1, "mincore.");
  EXPECT(munmap(p, 4096) == 0, "munmap failed.");
}

int main(void) {
  sum();
  handed_round();
  huge();
  pieces();
  remapped();
  wrong_arguments();
  return ok();
}
