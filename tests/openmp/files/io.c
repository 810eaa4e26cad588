// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// System and library calls given shared memory: buffers, names and structs that other threads wrote
// last, and that other threads read next.

#include <errno.h>
#include <fcntl.h>
#include <omp.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "../check.h"

enum { kMost = 1024, kSize = 20000 };
static char path[kMost][64];
static unsigned char out[kMost][kSize];  // pages that the next thread's call must fetch first
static unsigned char* in[kMost];
static struct stat info[kMost];
static struct timespec now[kMost];
static char message[kMost][64];

static unsigned char byte_at(int thread, int i) { return (unsigned char)(thread * 17 + i * 3); }

static void write_file(int me, int from) {
  const int file = open(path[from], O_CREAT | O_TRUNC | O_WRONLY, 0600);
  EXPECT(file >= 0, "open of '%s' failed: %s.", path[from], strerror(errno));
  EXPECT(write(file, out[from], 9000) == 9000, "Thread %d: write: %s.", me, strerror(errno));
  struct iovec pieces[2] = {{out[from] + 9000, 1000}, {out[from] + 10000, kSize - 10000}};
  EXPECT(writev(file, pieces, 2) == kSize - 9000, "writev failed: %s.", strerror(errno));
  EXPECT(close(file) == 0, "close failed.");
}

static void read_file(int me, int from) {
  EXPECT(stat(path[from], &info[me]) == 0, "stat failed: %s.", strerror(errno));
  const int file = open(path[from], O_RDONLY);
  EXPECT(file >= 0, "open failed: %s.", strerror(errno));
  EXPECT(read(file, in[me], 5000) == 5000, "read failed: %s.", strerror(errno));
  EXPECT(pread(file, in[me] + 5000, 3000, 5000) == 3000, "pread failed: %s.", strerror(errno));
  close(file);
  FILE* stream = fopen(path[from], "rb");
  EXPECT(stream && fseek(stream, 8000, SEEK_SET) == 0, "fopen or fseek failed.");
  EXPECT(fread(in[me] + 8000, 1, kSize - 8000, stream) == kSize - 8000, "fread failed.");
  fclose(stream);
  EXPECT(clock_gettime(CLOCK_MONOTONIC, &now[me]) == 0, "clock_gettime failed.");
}

static void send_and_receive(int me, int from) {
  int ends[2];
  EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0, "socketpair failed: %s.", strerror(errno));
  EXPECT(send(ends[0], message[from], 64, 0) == 64, "send failed: %s.", strerror(errno));
  EXPECT(recv(ends[1], in[me], 64, MSG_WAITALL) == 64, "recv failed: %s.", strerror(errno));
  char expected[64] = {0};
  snprintf(expected, sizeof expected, "a message of thread %d", from);
  EXPECT(!memcmp(in[me], expected, 64), "Thread %d received '%.63s'.", me, (char*)in[me]);
  close(ends[0]);
  close(ends[1]);
}

int main(void) {
  const int most = omp_get_max_threads();
  char folder[64] = "/tmp/openmp_io_XXXXXX";
  EXPECT(mkdtemp(folder) != NULL, "mkdtemp failed.");
#pragma omp parallel
  {
    const int me = omp_get_thread_num(), next = (me + 1) % omp_get_num_threads();
    snprintf(path[me], sizeof path[me], "%s/%d", folder, me);
    for (int i = 0; i < kSize; ++i) out[me][i] = byte_at(me, i);
    in[next] = calloc(1, kSize);
#pragma omp barrier
    write_file(me, next);
#pragma omp barrier
    read_file(me, me);
    snprintf(message[me], sizeof message[me], "a message of thread %d", me);
#pragma omp barrier
    for (int i = 0; i < kSize; ++i)
      EXPECT(in[next][i] == byte_at(next, i), "Thread %d reads %d at %d of thread %d's file.", me,
             in[next][i], i, next);
    EXPECT(info[next].st_size == kSize, "stat says %ld.", (long)info[next].st_size);
    EXPECT(now[next].tv_sec > 0 || now[next].tv_nsec > 0, "The time is zero.");
#pragma omp barrier
    send_and_receive(me, next);
  }
  for (int t = 0; t < most; ++t) {
    EXPECT(unlink(path[t]) == 0, "unlink of '%s' failed: %s.", path[t], strerror(errno));
    free(in[t]);
  }
  EXPECT(rmdir(folder) == 0, "rmdir failed: %s.", strerror(errno));
  return ok();
}
