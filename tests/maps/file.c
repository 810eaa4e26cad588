// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maps of files, private and shared, by main and by other threads: what is read, what is written
// back, and what is not.

#define _GNU_SOURCE
#include <fcntl.h>
#include <omp.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

enum { kBytes = 3 * 4096 + 1234 };

static char value(int i) { return (char)(i % 101 + i / 4096); }

static int make_file(void) {
  char name[] = "/tmp/weft-map-XXXXXX";
  const int fd = mkstemp(name);
  EXPECT(fd >= 0, "No file.");
  unlink(name);
  static char bytes[kBytes];
  for (int i = 0; i < kBytes; ++i) bytes[i] = value(i);
  EXPECT(write(fd, bytes, kBytes) == kBytes, "write failed.");
  return fd;
}

static char byte_of(int fd, int i) {
  char c = 0;
  EXPECT(pread(fd, &c, 1, i) == 1, "pread of byte %d failed.", i);
  return c;
}

static void read_by_all(int flags) {
  const int fd = make_file();
  const char* p = mmap(NULL, kBytes, PROT_READ, flags, fd, 0);
  EXPECT(p != MAP_FAILED, "mmap failed.");
  close(fd);
#pragma omp parallel
  {
    for (int i = 0; i < kBytes; ++i) EXPECT(p[i] == value(i), "Byte %d is %d.", i, p[i]);
    for (int i = kBytes; i < 4 * 4096; ++i) EXPECT(p[i] == 0, "Behind the end: %d.", p[i]);
  }
  EXPECT(madvise((void*)p, kBytes, MADV_DONTNEED) == 0, "madvise failed.");
#pragma omp parallel
  EXPECT(p[5000] == value(5000), "After MADV_DONTNEED.");
  EXPECT(munmap((void*)p, kBytes) == 0, "munmap failed.");
}

static void private_writes(void) {
  const int fd = make_file();
  char* p = mmap(NULL, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 4096);
  EXPECT(p != MAP_FAILED, "mmap failed.");
#pragma omp parallel for
  for (int i = 0; i < 8192; ++i) p[i] = (char)(p[i] + 1);
  for (int i = 0; i < 8192; ++i) EXPECT(p[i] == (char)(value(i + 4096) + 1), "Byte %d.", i);
  EXPECT(byte_of(fd, 5000) == value(5000), "A private write is in the file.");
  EXPECT(madvise(p, 4096, MADV_DONTNEED) == 0, "madvise failed.");
#pragma omp parallel
  EXPECT(p[10] == value(4106) && p[4096] == (char)(value(8192) + 1), "%d, %d.", p[10], p[4096]);
  EXPECT(munmap(p, kBytes) == 0, "munmap failed.");
  close(fd);
}

static void shared_writes(void) {
  const int fd = make_file();
  char* p = mmap(NULL, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  EXPECT(p != MAP_FAILED, "mmap failed.");
#pragma omp parallel for
  for (int i = 0; i < kBytes; ++i) p[i] = (char)(p[i] * 3);
  EXPECT(msync(p, kBytes, MS_SYNC) == 0, "msync failed.");
  for (int i = 0; i < kBytes; ++i) EXPECT(byte_of(fd, i) == (char)(value(i) * 3), "Byte %d.", i);
#pragma omp parallel
#pragma omp single
  {
    p[77] = 1;
    char* q = mmap(NULL, kBytes, PROT_READ, MAP_SHARED, fd, 0);
    EXPECT(q != MAP_FAILED && q[77] == 1, "A second map does not show the first.");
    char* r = mmap(NULL, kBytes, PROT_READ, MAP_PRIVATE, fd, 0);
    EXPECT(r != MAP_FAILED && r[77] == 1, "A private map does not show the shared one.");
    EXPECT(munmap(q, kBytes) == 0 && munmap(r, kBytes) == 0, "munmap failed.");
    p[78] = 2;
  }
  EXPECT(munmap(p, kBytes) == 0, "munmap failed.");
  EXPECT(byte_of(fd, 77) == 1 && byte_of(fd, 78) == 2, "munmap did not write back.");
  struct stat status;
  EXPECT(fstat(fd, &status) == 0 && status.st_size == kBytes, "The file has another size.");
  close(fd);
}

// The descriptor is node 0's, and any thread maps.
static void by_each(void) {
  const int fd = make_file();
#pragma omp parallel
  for (int t = 0; t < omp_get_num_threads(); ++t) {
#pragma omp barrier
    if (t != omp_get_thread_num()) continue;
    char* p = mmap(NULL, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    EXPECT(p != MAP_FAILED, "mmap failed.");
    EXPECT(t == 0 || p[t - 1] == 99, "The last one's write is not there: %d.", p[t - 1]);
    p[t] = 99;
    EXPECT(munmap(p, kBytes) == 0, "munmap failed.");
  }
  for (int t = 0; t < omp_get_max_threads(); ++t) EXPECT(byte_of(fd, t) == 99, "Thread %d.", t);
  close(fd);
}

static void grown(void) {
  const int fd = make_file();
  char* p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  p[0] = 5;
  p = mremap(p, 4096, 3 * 4096, MREMAP_MAYMOVE);
  EXPECT(p != MAP_FAILED, "mremap failed.");
#pragma omp parallel
  EXPECT(p[0] == 5 && p[9000] == value(9000), "%d, %d.", p[0], p[9000]);
  p[9000] = 6;
  EXPECT(munmap(p, 3 * 4096) == 0, "munmap failed.");
  EXPECT(byte_of(fd, 0) == 5 && byte_of(fd, 9000) == 6, "Not written back.");
  close(fd);
}

static void wrong_arguments(void) {
  char name[] = "/tmp/weft-map-XXXXXX";
  close(mkstemp(name));
  const int fd = open(name, O_RDONLY);
  unlink(name);
  EXPECT(mmap(NULL, 1, PROT_WRITE | PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED, "Not writable.");
  EXPECT(mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 5) == MAP_FAILED, "An odd offset.");
  close(fd);
  EXPECT(mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0) == MAP_FAILED, "Closed.");
}

int main(void) {
  read_by_all(MAP_PRIVATE);
  read_by_all(MAP_SHARED);
  private_writes();
  shared_writes();
  by_each();
  grown();
  wrong_arguments();
  return ok();
}
