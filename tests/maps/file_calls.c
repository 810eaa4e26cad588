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
#include <sys/sendfile.h>
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

// The first integers of the map are from + i, the others rest + i.
static void expect_start(int count, int from, int rest, const char* way) {
#pragma omp parallel
  for (int i = 0; i < kInts; ++i) {
    const int wanted = i < count ? from + i : rest + i;
    EXPECT(map[i] == wanted, "thread %d, %s: %d is %d", me(), way, i, map[i]);
  }
}

// By the kernel, between files.
static void copies(void) {
  static int found[kSome];
  char other_name[] = "/tmp/weft-other-XXXXXX";
  const int other = mkstemp(other_name);
  unlink(other_name);
  fill(500);
#pragma omp parallel
  if (me() == 0) {
    off_t from = 700 * sizeof(int);
    EXPECT(sendfile(other, file, &from, sizeof found) == sizeof found, "sendfile");
    EXPECT(pread(other, found, sizeof found, 0) == sizeof found, "pread");
    expect_read(found, 700, kSome, 500, "sendfile");
  }
  fill(600);
#pragma omp parallel
  if (me() == 0) {
    off64_t from = 900 * sizeof(int), to = 0;
    EXPECT(copy_file_range(file, &from, other, &to, sizeof found, 0) == sizeof found, "to other");
    EXPECT(pread(other, found, sizeof found, 0) == sizeof found, "pread");
    expect_read(found, 900, kSome, 600, "copy_file_range");
    for (int i = 0; i < kSome; ++i) found[i] = 80000 + i;
    pwrite(other, found, sizeof found, 0);
    from = to = 0;
    EXPECT(copy_file_range(other, &from, file, &to, sizeof found, 0) == sizeof found, "to map");
  }
  expect_start(kSome, 80000, 600, "copy_file_range");
  fill(700);
#pragma omp parallel
  if (me() == 0) {
    lseek(file, 0, SEEK_SET);
    lseek(other, 0, SEEK_SET);
    EXPECT(sendfile(file, other, NULL, sizeof found) == sizeof found, "sendfile to map");
  }
  expect_start(kSome, 80000, 700, "sendfile");
  fill(800);
#pragma omp parallel
  if (me() == 0) {
    int ends[2];
    off64_t to = 0;
    EXPECT(pipe(ends) == 0 && write(ends[1], found, 4000) == 4000, "pipe");
    EXPECT(splice(ends[0], NULL, file, &to, 4000, 0) == 4000, "splice");
    to = 5000 * sizeof(int);
    EXPECT(splice(file, &to, ends[1], NULL, 4000, 0) == 4000, "splice");
    EXPECT(read(ends[0], found, 4000) == 4000, "read");
    expect_read(found, 5000, 1000, 800, "splice");
  }
  expect_start(1000, 80000, 800, "splice");
  close(other);
}

static void holes(void) {
  fill(900);
#pragma omp parallel
  if (me() == 0) {
    const int mode = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
    EXPECT(fallocate(file, mode, 0, 4096) == 0, "fallocate");
    EXPECT(lseek(file, 0, SEEK_DATA) == 4096, "SEEK_DATA");
  }
#pragma omp parallel
  for (int i = 0; i < kInts; ++i)
    EXPECT(map[i] == (i < 1024 ? 0 : 900 + i), "thread %d, hole: %d is %d", me(), i, map[i]);
#pragma omp parallel
  if (is_last())
    EXPECT(truncate(name, 2000 * sizeof(int)) == 0 && truncate(name, kBytes) == 0, "truncate");
#pragma omp parallel
  for (int i = 1024; i < kInts; ++i)
    EXPECT(map[i] == (i < 2000 ? 900 + i : 0), "thread %d, truncate: %d is %d", me(), i, map[i]);
}

// A FILE that was open before; the first thread's and the last one's calls on it.
static void stream_of(const char* mode, bool by_last) {
  FILE* stream = fopen(name, mode);
  EXPECT(stream != NULL, "fopen %s", mode);
  const bool appends = *mode == 'a';
  fill(1000);
#pragma omp parallel
  if (by_last ? is_last() : me() == 0) {
    static int some[kSome];
    fseek(stream, 600 * sizeof(int), SEEK_SET);
    EXPECT(fread(some, sizeof(int), kSome, stream) == kSome, "fread");
    expect_read(some, 600, kSome, 1000, "fread");
  }
  fill(1100);
#pragma omp parallel
  if (by_last ? is_last() : me() == 0) {
    static int some[kSome];
    fseek(stream, 4000 * sizeof(int), SEEK_SET);
    for (int i = 0; i < 8; ++i) {
      const int wanted = ((const unsigned char*)(int[]){1100 + 4000 + i / 4})[i % 4];
      EXPECT(fgetc(stream) == wanted, "fgetc of byte %d", i);
    }
    for (int i = 0; i < kSome; ++i) some[i] = 90000 + i;
    fseek(stream, 0, SEEK_SET);
    if (appends) EXPECT(truncate(name, 0) == 0, "truncate");
    EXPECT(fwrite(some, sizeof(int), kSome - 1, stream) == kSome - 1, "fwrite");
    for (size_t i = 0; i < sizeof(int); ++i) putc(((const char*)&some[kSome - 1])[i], stream);
    EXPECT(fflush(stream) == 0, "fflush");
  }
  if (!appends) expect_start(kSome, 90000, 1100, "fwrite");
#pragma omp parallel
  for (int i = 0; i < kSome; ++i) EXPECT(map[i] == 90000 + i, "%s: %d is %d", mode, i, map[i]);
  EXPECT(ftruncate(file, kBytes) == 0, "ftruncate");
  fill(1200);
#pragma omp parallel
  if (by_last ? is_last() : me() == 0) {
    fseek(stream, 0, SEEK_SET);
    if (appends) EXPECT(truncate(name, 0) == 0, "truncate");
    fprintf(stream, "%s", "abcd");
    fclose(stream);
  }
  EXPECT(memcmp(map, "abcd", 4) == 0, "%s: fclose", mode);
  EXPECT(ftruncate(file, kBytes) == 0, "ftruncate");
}

static void flush_all(void) {
  FILE* stream = fopen(name, "r+");
  fill(1300);
  fprintf(stream, "%s", "abcd");
  EXPECT(map[0] == 1300, "written before it is flushed");
  fflush(NULL);
#pragma omp parallel
  EXPECT(memcmp(map, "abcd", 4) == 0 && map[1] == 1301, "thread %d: fflush of all", me());
  fclose(stream);
}

int main(void) {
  file = mkstemp(name);
  EXPECT(ftruncate(file, kBytes) == 0, "ftruncate");
  map = mmap(NULL, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  EXPECT(map != MAP_FAILED, "mmap");
  reads();
  writes();
  lengths();
  copies();
  holes();
  for (int by_last = 0; by_last < 2; ++by_last) {
    stream_of("r+", by_last);
    stream_of("a+", by_last);
  }
  flush_all();
  munmap(map, kBytes);
  unlink(name);
  return ok();
}
