// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file that is mapped MAP_SHARED, and calls that go on behind the program's back: aio_read and
// its kin, clones of files, and queues to the kernel, of which there are none in a job.

#define _GNU_SOURCE
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"

enum { kInts = 8000, kBytes = kInts * sizeof(int), kSome = 1500 };

extern int __weft_spans_nodes;

static char name[] = "/tmp/weft-asynchronous-XXXXXX";
static int file;
static int* map;
static int found[kSome];

static void fill(int from) {
#pragma omp parallel for
  for (int i = 0; i < kInts; ++i) map[i] = from + i;
}

static struct aiocb request_of(int* memory, int first, int opcode) {
  struct aiocb request;
  memset(&request, 0, sizeof request);
  request.aio_fildes = file;
  request.aio_buf = memory;
  request.aio_nbytes = kSome * sizeof(int);
  request.aio_offset = first * (off_t)sizeof(int);
  request.aio_lio_opcode = opcode;
  request.aio_sigevent.sigev_notify = SIGEV_NONE;
  return request;
}

static void finish(struct aiocb* request) {
  const struct aiocb* const list[] = {request};
  while (aio_error(request) == EINPROGRESS) aio_suspend(list, 1, NULL);
  EXPECT(aio_error(request) == 0 && aio_return(request) == kSome * (ssize_t)sizeof(int),
         "aio_error");
}

static void expect_found(int first, int from, const char* way) {
  for (int i = 0; i < kSome; ++i)
    EXPECT(found[i] == from + first + i, "%s: %d is %d", way, i, found[i]);
}
static void expect_map(int first, int from, int rest, const char* way) {
#pragma omp parallel
  for (int i = 0; i < kInts; ++i) {
    const int wanted = i >= first && i < first + kSome ? from + i : rest + i;
    EXPECT(map[i] == wanted, "thread %d, %s: %d is %d", omp_get_thread_num(), way, i, map[i]);
  }
}

static volatile int code_told, value_told;

static void note_signal(int number, siginfo_t* info, void* context) {
  (void)number, (void)context;
  code_told = info->si_code;
  value_told = info->si_value.sival_int;
}

// A signal says that the request is done, and that it is about one.
static void signals(int thread) {
  code_told = value_told = 0;
  struct sigaction action = {.sa_sigaction = note_signal, .sa_flags = SA_SIGINFO};
  EXPECT(sigaction(SIGUSR1, &action, NULL) == 0, "sigaction");
#pragma omp parallel
#pragma omp masked filter(thread)
  {
    struct aiocb request = request_of(found, 700, LIO_READ);
    request.aio_sigevent.sigev_notify = SIGEV_SIGNAL;
    request.aio_sigevent.sigev_signo = SIGUSR1;
    request.aio_sigevent.sigev_value.sival_int = thread + 1;
    EXPECT(aio_read(&request) == 0, "aio_read");
    finish(&request);
    while (value_told == 0) continue;
    EXPECT(value_told == thread + 1 && code_told == SI_ASYNCIO, "%d with code %d.", value_told,
           code_told);
  }
}

// By each thread in turn, so by all nodes.
static void requests(int thread) {
  const int base = 1000 * thread;
  fill(base + 100);
#pragma omp parallel
#pragma omp masked filter(thread)
  {
    struct aiocb request = request_of(found, 700, LIO_READ);
    EXPECT(aio_read(&request) == 0, "aio_read");
    finish(&request);
    expect_found(700, base + 100, "aio_read");
    for (int i = 0; i < kSome; ++i) found[i] = base + 500 + 900 + i;
    request = request_of(found, 900, LIO_WRITE);
    EXPECT(aio_write(&request) == 0, "aio_write");
    finish(&request);
    EXPECT(aio_fsync(O_SYNC, &request) == 0, "aio_fsync");
    while (aio_error(&request) == EINPROGRESS) continue;
  }
  expect_map(900, base + 500, base + 100, "aio_write");
  fill(base + 200);
#pragma omp parallel
#pragma omp masked filter(thread)
  {
    static int given[kSome];
    for (int i = 0; i < kSome; ++i) given[i] = base + 600 + i;
    struct aiocb one = request_of(found, 4000, LIO_READ), other = request_of(given, 0, LIO_WRITE);
    struct aiocb* const list[] = {&one, NULL, &other};
    EXPECT(lio_listio(LIO_WAIT, list, 3, NULL) == 0, "lio_listio");
    finish(&one);
    finish(&other);
    expect_found(4000, base + 200, "lio_listio");
  }
  expect_map(0, base + 600, base + 200, "lio_listio");
}

static bool notified = false;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

// One bad request leaves the others as they are.
static void bad_requests(void) {
  char one[] = "one", three[] = "three";
  struct aiocb good = {
      .aio_fildes = file, .aio_buf = one, .aio_nbytes = 3, .aio_lio_opcode = LIO_WRITE};
  struct aiocb closed = {
      .aio_fildes = -1, .aio_buf = one, .aio_nbytes = 3, .aio_lio_opcode = LIO_WRITE};
  struct aiocb last = good;
  last.aio_buf = three;
  last.aio_nbytes = 5;
  last.aio_offset = 3;
  struct aiocb* const list[] = {&good, &closed, &last};
  errno = 0;
  EXPECT(lio_listio(LIO_WAIT, list, 3, NULL) == -1 && errno == EIO, "lio_listio: %d", errno);
  EXPECT(aio_error(&good) == 0 && aio_return(&good) == 3, "The first: %d", aio_error(&good));
  EXPECT(aio_error(&closed) == EBADF && aio_return(&closed) == -1, "%d", aio_error(&closed));
  EXPECT(aio_error(&last) == 0 && aio_return(&last) == 5, "The last: %d", aio_error(&last));
  errno = 0;
  EXPECT(lio_listio(17, list, 3, NULL) == -1 && errno == EINVAL, "a mode: %d", errno);
  errno = 0;
  EXPECT(aio_fsync(17, &good) == -1 && errno == EINVAL, "an operation: %d", errno);
  good.aio_reqprio = -1;
  errno = 0;
  EXPECT(aio_write(&good) == -1 && errno == EINVAL, "a priority: %d", errno);
}

static void on_end(union sigval value) {
  pthread_mutex_lock(&lock);
  notified = value.sival_int == 7;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
}

static void notices(void) {
  struct aiocb request = request_of(found, 0, LIO_READ);
  request.aio_sigevent.sigev_notify = SIGEV_THREAD;
  request.aio_sigevent.sigev_notify_function = on_end;
  request.aio_sigevent.sigev_value.sival_int = 7;
  EXPECT(aio_read(&request) == 0, "aio_read");
  pthread_mutex_lock(&lock);
  while (!notified) pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
  finish(&request);
  struct aiocb wrong = request_of(found, 0, LIO_READ);
  wrong.aio_nbytes = 4;
  wrong.aio_offset = -1;
  const bool begun = aio_read(&wrong) == 0;
  while (begun && aio_error(&wrong) == EINPROGRESS) continue;
  EXPECT(!begun || aio_error(&wrong) == EINVAL, "aio_read before the file");
}

// Past the C library: what the file has, into pages that are present.
static void expect_file(int from, const char* way) {
  memset(found, 0, sizeof found);
  EXPECT(syscall(SYS_pread64, file, found, sizeof found, 0) == sizeof found, "pread");
  expect_found(0, from, way);
}

// Few file systems can; but all must have been given what is in memory.
static void clones(void) {
  char other_name[] = "/tmp/weft-clone-XXXXXX";
  const int other = mkstemp(other_name);
  unlink(other_name);
  fill(9000);
  if (ioctl(other, FICLONE, file) == 0) {
    EXPECT(pread(other, found, sizeof found, 0) == sizeof found, "pread");
    expect_found(0, 9000, "FICLONE");
  }
  expect_file(9000, "after FICLONE");
  fill(9500);
  const struct file_clone_range range = {.src_fd = file};
  (void)ioctl(other, FICLONERANGE, &range);
  expect_file(9500, "after FICLONERANGE");
  close(other);
}

static void queues(void) {
  char parameters[256] = {0};
  if (__weft_spans_nodes == 0) return;
  errno = 0;
  EXPECT(syscall(SYS_io_uring_setup, 4, parameters) == -1 && errno == ENOSYS, "io_uring_setup");
  unsigned long context = 0;
  errno = 0;
  EXPECT(syscall(SYS_io_setup, 4, &context) == -1 && errno == ENOSYS, "io_setup");
}

int main(void) {
  file = mkstemp(name);
  EXPECT(ftruncate(file, kBytes) == 0, "ftruncate");
  map = mmap(NULL, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  EXPECT(map != MAP_FAILED, "mmap");
  for (int thread = 0; thread < omp_get_max_threads(); ++thread) {
    requests(thread);
    signals(thread);
  }
  notices();
  bad_requests();
  if (__weft_spans_nodes != 0) clones();
  queues();
  munmap(map, kBytes);
  unlink(name);
  return ok();
}
