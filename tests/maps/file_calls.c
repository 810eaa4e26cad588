// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file that is mapped MAP_SHARED, and calls on it: whoever reads the file finds what is in
// memory, and what is written to the file is in memory.

#define _GNU_SOURCE
#include <fcntl.h>
#include <omp.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "check.h"

enum { kInts = 20000, kBytes = kInts * sizeof(int), kSome = 3000 };

static char name[] = "/tmp/weft-calls-XXXXXX";
static int file;
static int* map;

static int me(void) { return omp_get_thread_num(); }
static bool is_last(void) { return me() == omp_get_num_threads() - 1; }

static void fill(int from) {
#pragma omp parallel for
  for (int i = 0; i < kInts; ++i) map[i] = from + i;
}

static void expect_read(const int* found, int first, int count, int from, const char* way) {
  for (int i = 0; i < count; ++i)
    EXPECT(found[i] == from + first + i, "thread %d, %s: %d is %d", me(), way, first + i, found[i]);
}

static void reads(void) {
  static int found[kSome];
  fill(100);
#pragma omp parallel
#pragma omp critical
  {
    EXPECT(pread(file, found, sizeof found, 5000 * sizeof(int)) == sizeof found, "pread");
    expect_read(found, 5000, kSome, 100, "pread");
    lseek(file, 8000 * sizeof(int), SEEK_SET);
    EXPECT(read(file, found, sizeof found) == sizeof found, "read");
    expect_read(found, 8000, kSome, 100, "read");
    const struct iovec parts[2] = {{found, 4000}, {found + 1000, 8000}};
    EXPECT(preadv(file, parts, 2, 0) == sizeof found, "preadv");
    expect_read(found, 0, kSome, 100, "preadv");
  }
  fill(200);
#pragma omp parallel
  if (is_last()) {
    FILE* stream = fopen(name, "r");
    EXPECT(stream != NULL && fread(found, sizeof(int), kSome, stream) == kSome, "fread");
    expect_read(found, 0, kSome, 200, "fread");
    fclose(stream);
  }
  char command[100];
  snprintf(command, sizeof command, "test $(od -An -td4 -N4 %s) = 200", name);
  EXPECT(system(command) == 0, "another process reads something else");
}

static void expect_map(int first, int count, int from, const char* way) {
#pragma omp parallel
  for (int i = 0; i < kInts; ++i) {
    const int wanted = i >= first && i < first + count ? from + i : 300 + i;
    EXPECT(map[i] == wanted, "thread %d, %s: %d is %d", me(), way, i, map[i]);
  }
}

// At odd places, beside what other threads have written into the same pages.
static void writes(void) {
  static int given[kSome];
  for (int i = 0; i < kSome; ++i) given[i] = 70000 + 501 + i;
  fill(300);
#pragma omp parallel
  if (is_last())
    EXPECT(pwrite(file, given, sizeof given, 501 * sizeof(int)) == sizeof given, "pwrite");
  expect_map(501, kSome, 70000, "pwrite");
  fill(300);
#pragma omp parallel
  if (is_last()) {
    lseek(file, 501 * sizeof(int), SEEK_SET);
    EXPECT(write(file, given, sizeof given) == sizeof given, "write");
  }
  expect_map(501, kSome, 70000, "write");
  fill(300);
#pragma omp parallel
  if (me() == 0) {
    const struct iovec parts[2] = {{given, 4000}, {given + 1000, 8000}};
    EXPECT(pwritev(file, parts, 2, 501 * sizeof(int)) == sizeof given, "pwritev");
  }
  expect_map(501, kSome, 70000, "pwritev");
}

static void lengths(void) {
  fill(400);
#pragma omp parallel
  if (is_last())
    EXPECT(ftruncate(file, 1001 * sizeof(int)) == 0 && ftruncate(file, kBytes) == 0, "ftruncate");
#pragma omp parallel
  for (int i = 0; i < kInts; ++i)
    EXPECT(map[i] == (i < 1001 ? 400 + i : 0), "thread %d: %d is %d", me(), i, map[i]);
#pragma omp parallel
  if (is_last()) {
    const int other = open(name, O_RDWR | O_TRUNC);
    EXPECT(other >= 0 && ftruncate(other, kBytes) == 0, "open");
    close(other);
  }
#pragma omp parallel
  for (int i = 0; i < kInts; ++i) EXPECT(map[i] == 0, "thread %d: %d is %d", me(), i, map[i]);
}

int main(void) {
  file = mkstemp(name);
  EXPECT(ftruncate(file, kBytes) == 0, "ftruncate");
  map = mmap(NULL, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  EXPECT(map != MAP_FAILED, "mmap");
  reads();
  writes();
  lengths();
  munmap(map, kBytes);
  unlink(name);
  return ok();
}
