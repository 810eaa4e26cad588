// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -pthread
//
// What can be done with a descriptor beside transfers, by threads of all nodes: with one that the
// main thread opened, and with a thread's own, where what the call is told lies at the end of a
// stack.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <omp.h>
#include <pthread.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "../check.h"

enum { kBytes = 100 };

static int file;

static void set_flags(void) {
  EXPECT(fcntl(file, F_GETFD) == 0, "F_GETFD: %s", strerror(errno));
  const int flags = fcntl(file, F_GETFL);
  EXPECT((flags & O_ACCMODE) == O_RDWR, "F_GETFL: 0x%x, %s", (unsigned)flags, strerror(errno));
  EXPECT(fcntl(file, F_SETFL, flags ^ O_APPEND) == 0, "F_SETFL: %s", strerror(errno));
  EXPECT((fcntl(file, F_GETFL) ^ flags) == O_APPEND, "The flags have not changed.");
  EXPECT(fcntl(file, F_SETFL, flags) == 0, "F_SETFL: %s", strerror(errno));
  const int copy = fcntl(file, F_DUPFD, 0);
  EXPECT(copy > 2 && close(copy) == 0, "F_DUPFD: %d, %s", copy, strerror(errno));
  EXPECT(fcntl(file, F_SETFD + 1000) == -1 && errno == EINVAL, "An unknown command is known.");
}

// The job is one process: its locks are never in its own way.
static void lock_parts(int me) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 10};
  EXPECT(fcntl(file, F_SETLK, &lock) == 0, "F_SETLK: %s", strerror(errno));
  EXPECT(fcntl(file, F_SETLKW, &lock) == 0, "F_SETLKW: %s", strerror(errno));
  EXPECT(fcntl(file, F_GETLK, &lock) == 0 && lock.l_type == F_UNLCK, "F_GETLK: type %d, %s",
         lock.l_type, strerror(errno));
  EXPECT(flock(file, LOCK_EX | LOCK_NB) == 0, "flock: %s", strerror(errno));
  EXPECT(lseek(file, me, SEEK_SET) == me && lockf(file, F_TLOCK, 1) == 0, "lockf: %s",
         strerror(errno));
}

static void ask_about(int me) {
  int unread = -1;
  EXPECT(lseek(file, me, SEEK_SET) == me && ioctl(file, FIONREAD, &unread) == 0 &&
             unread == kBytes - me,
         "FIONREAD: %d, %s", unread, strerror(errno));
  EXPECT(ioctl(file, TIOCOUTQ, &unread) == -1 && errno == ENOTTY, "A file is a terminal.");
  const mode_t mode = me % 2 == 0 ? 0600 : 0640;
  struct stat status;
  EXPECT(fchmod(file, mode) == 0 && fstat(file, &status) == 0 && (status.st_mode & 0777) == mode,
         "fchmod: %o, %s", status.st_mode, strerror(errno));
  EXPECT(fchown(file, getuid(), getgid()) == 0, "fchown: %s", strerror(errno));
  const struct timespec times[2] = {{1000 + me, 0}, {2000 + me, 0}};
  EXPECT(
      futimens(file, times) == 0 && fstat(file, &status) == 0 && status.st_mtim.tv_sec == 2000 + me,
      "futimens: %ld, %s", (long)status.st_mtim.tv_sec, strerror(errno));
  struct statfs system;
  struct statvfs limits;
  EXPECT(fstatfs(file, &system) == 0 && system.f_bsize > 0, "fstatfs: %s", strerror(errno));
  EXPECT(fstatvfs(file, &limits) == 0 && limits.f_namemax > 0, "fstatvfs: %s", strerror(errno));
  EXPECT(posix_fadvise(file, 0, 0, POSIX_FADV_NORMAL) == 0, "posix_fadvise failed.");
}

// What it passes lies in the last page of its thread's stack.
static void* at_the_end_of_a_stack(void* unused) {
  (void)unused;
  int ends[2], unread = -1;
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  char name[] = "/tmp/openmp_control_XXXXXX";
  EXPECT(pipe(ends) == 0 && write(ends[1], name, 3) == 3, "pipe: %s", strerror(errno));
  EXPECT(ioctl(ends[0], FIONREAD, &unread) == 0 && unread == 3, "FIONREAD: %d, %s", unread,
         strerror(errno));
  EXPECT(fcntl(ends[0], F_GETFL) == O_RDONLY, "F_GETFL: %s", strerror(errno));
  EXPECT(ioctl(ends[0], FIOCLEX) == 0 && fcntl(ends[0], F_GETFD) == FD_CLOEXEC, "FIOCLEX: %s",
         strerror(errno));
  const int own = mkstemp(name);
  EXPECT(own >= 0 && fcntl(own, F_SETLK, &lock) == 0, "F_SETLK: %s", strerror(errno));
  unlink(name);
  close(own);
  close(ends[0]);
  close(ends[1]);
  return NULL;
}

int main(void) {
  char path[] = "/tmp/openmp_control_XXXXXX", bytes[kBytes] = {0};
  file = mkstemp(path);
  EXPECT(file >= 0 && write(file, bytes, kBytes) == kBytes, "mkstemp: %s", strerror(errno));
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
#pragma omp critical
    {
      set_flags();
      lock_parts(me);
      ask_about(me);
    }
    pthread_t other;
    pthread_create(&other, NULL, at_the_end_of_a_stack, NULL);
    pthread_join(other, NULL);
    at_the_end_of_a_stack(NULL);
  }
  EXPECT(fcntl(0, F_GETFL) >= 0 || errno == EBADF, "F_GETFL of standard input: %s",
         strerror(errno));
  close(file);
  unlink(path);
  return ok();
}
