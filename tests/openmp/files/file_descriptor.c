// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Descriptors that the main thread opened, used by all threads; and each thread's own, meanwhile.

#include <errno.h>
#include <fcntl.h>
#include <omp.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "../check.h"

enum { kPart = 300000 };

static char path[64];

static void fill(unsigned char* bytes, int thread) {
  for (int i = 0; i < kPart; ++i) bytes[i] = (unsigned char)(i * 3 + thread * 11);
}

static void own_file(int me, const unsigned char* bytes) {
  char name[96], back[100];
  snprintf(name, sizeof name, "%s.%d", path, me);
  const int own = open(name, O_CREAT | O_TRUNC | O_RDWR, 0600);
  EXPECT(own >= 0 && write(own, bytes, 100) == 100, "Thread %d's own file: %s", me,
         strerror(errno));
  EXPECT(pread(own, back, 100, 0) == 100 && memcmp(back, bytes, 100) == 0,
         "Thread %d reads other bytes.", me);
  EXPECT(close(own) == 0, "close failed.");
  unlink(name);
}

int main(void) {
  snprintf(path, sizeof path, "/tmp/openmp_descriptor_%d", (int)getpid());
  const int file = open(path, O_CREAT | O_TRUNC | O_RDWR, 0600);
  const int threads = omp_get_max_threads();
  EXPECT(file >= 0, "open failed: %s", strerror(errno));
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    unsigned char *bytes = malloc(kPart), *back = malloc(kPart);
    fill(bytes, me);
    own_file(me, bytes);
    EXPECT(pwrite(file, bytes, kPart, (off_t)me * kPart) == kPart, "pwrite failed: %s",
           strerror(errno));
#pragma omp barrier
    const int other = (me + 1) % omp_get_num_threads();
    fill(bytes, other);
    EXPECT(pread(file, back, kPart, (off_t)other * kPart) == kPart, "pread failed: %s",
           strerror(errno));
    EXPECT(memcmp(back, bytes, kPart) == 0, "Thread %d reads other bytes.", me);
    struct stat status;
    EXPECT(fstat(file, &status) == 0 && status.st_size == (off_t)threads * kPart,
           "The size is %ld.", (long)status.st_size);
    EXPECT(!isatty(file) && errno == ENOTTY, "isatty said something else.");
#pragma omp barrier
#pragma omp critical
    {
      EXPECT(lseek(file, (off_t)me * kPart, SEEK_SET) == (off_t)me * kPart, "lseek failed.");
      struct iovec parts[2] = {{back, 1000}, {back + 1000, 2000}};
      fill(bytes, me);
      EXPECT(readv(file, parts, 2) == 3000 && memcmp(back, bytes, 3000) == 0, "readv failed.");
      EXPECT(writev(file, parts, 2) == 3000, "writev failed.");
      EXPECT(read(file, back, 10) == 10 && memcmp(back, bytes + 6000, 10) == 0,
             "read is elsewhere.");
      EXPECT(write(file, back, 0) == 0, "An empty write failed.");
    }
    free(bytes);
    free(back);
#pragma omp barrier
    if (me == omp_get_num_threads() - 1) {
      EXPECT(ftruncate(file, 5) == 0 && lseek(file, 0, SEEK_END) == 5, "ftruncate failed.");
      EXPECT(fsync(file) == 0, "fsync failed.");
      EXPECT(close(file) == 0, "close failed.");
      EXPECT(write(file, path, 1) == -1 && errno == EBADF, "The file is still open.");
    }
  }
  EXPECT(write(file, path, 1) == -1 && errno == EBADF, "The file is still open here.");
  unlink(path);
  return ok();
}
