// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -D_GNU_SOURCE
//
// System calls made by syscall() find memory that no thread has touched yet, and memory that a
// thread of another node has written: the kernel would answer "Bad address", or tell less than
// there is. Descriptors are those of the job.
#include <errno.h>
#include <fcntl.h>
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <weft/weft.h>

#include "../check.h"

enum { kBytes = 8 * 4096 };

static char contents[kBytes];
static char path[64];

static void* fresh(void) {
  void* memory = mmap(NULL, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  EXPECT(memory != MAP_FAILED, "mmap: %s", strerror(errno));
  return memory;
}

static long told(const char* name, long result) {
  EXPECT(result >= 0, "%s: %s", name, strerror(errno));
  return result;
}
#define CALL(number, ...) told(#number, syscall(number, __VA_ARGS__))

static void read_and_write(void) {
  const int file = (int)CALL(SYS_openat, AT_FDCWD, path, O_RDWR, 0);
  char* memory = fresh();
  EXPECT(CALL(SYS_read, file, memory, kBytes) == kBytes, "read less than the file");
  EXPECT(memcmp(memory, contents, kBytes) == 0, "read other bytes");
  memory = fresh();
  memory[0] = 1;
  EXPECT(CALL(SYS_pread64, file, memory, kBytes, 0) == kBytes, "read less behind a touched page");
  EXPECT(memcmp(memory, contents, kBytes) == 0, "read other bytes behind a touched page");
  struct iovec* vectors = fresh();
  vectors[0] = (struct iovec){fresh(), 5000};
  vectors[1] = (struct iovec){fresh(), 7000};
  EXPECT(CALL(SYS_lseek, file, 100, SEEK_SET) == 100, "lseek");
  EXPECT(CALL(SYS_readv, file, vectors, 2) == 12000, "readv read less");
  EXPECT(memcmp(vectors[1].iov_base, contents + 5100, 7000) == 0, "readv read other bytes");
  EXPECT(CALL(SYS_getrandom, fresh(), kBytes, 0) == kBytes, "fewer random bytes");
  CALL(SYS_close, file);
}

static void ask_for_files(void) {
  struct stat* status = fresh();
  CALL(SYS_newfstatat, AT_FDCWD, path, status, 0);
  EXPECT(status->st_size == kBytes, "newfstatat: %ld bytes", (long)status->st_size);
  struct statx* more = fresh();
  CALL(SYS_statx, AT_FDCWD, path, 0, STATX_SIZE, more);
  EXPECT(more->stx_size == kBytes, "statx: %ld bytes", (long)more->stx_size);
  const int folder = (int)CALL(SYS_openat, AT_FDCWD, "/", O_RDONLY | O_DIRECTORY, 0);
  EXPECT(CALL(SYS_getdents64, folder, fresh(), kBytes) > 0, "no entries of /");
  CALL(SYS_close, folder);
  CALL(SYS_readlink, "/proc/self/exe", fresh(), 4096);
  char* here = fresh();
  EXPECT(CALL(SYS_getcwd, here, 4096) == (long)strlen(here) + 1, "getcwd: %s", here);
  EXPECT(syscall(SYS_getcwd, here, 1) == -1 && errno == ERANGE, "getcwd into one byte");
}

static void communicate(void) {
  int* ends = fresh();
  CALL(SYS_pipe2, ends, 0);
  char* message = fresh();
  strcpy(message, "message");
  EXPECT(CALL(SYS_write, ends[1], message, 8) == 8, "write");
  int* waiting = fresh();
  CALL(SYS_ioctl, ends[0], FIONREAD, waiting);
  EXPECT(*waiting == 8, "%d bytes wait", *waiting);
  message = fresh();
  EXPECT(CALL(SYS_read, ends[0], message, kBytes) == 8, "read of a pipe");
  EXPECT(strcmp(message, "message") == 0, "came: %s", message);
  CALL(SYS_close, ends[0]);
  CALL(SYS_close, ends[1]);
  ends = fresh();
  CALL(SYS_socketpair, AF_UNIX, SOCK_DGRAM, 0, ends);
  EXPECT(CALL(SYS_sendto, ends[0], message, 8, 0, NULL, 0) == 8, "sendto");
  message = fresh();
  EXPECT(CALL(SYS_recvfrom, ends[1], message, 100, 0, NULL, NULL) == 8, "recvfrom");
  EXPECT(strcmp(message, "message") == 0, "came in a datagram: %s", message);
  CALL(SYS_close, ends[0]);
  CALL(SYS_close, ends[1]);
}

static void ask_for_system(void) {
  struct timespec* now = fresh();
  CALL(SYS_clock_gettime, CLOCK_MONOTONIC, now);
  EXPECT(now->tv_sec > 0, "no time");
  EXPECT(syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, fresh(), NULL) == 0,
         "clock_nanosleep to a time that has been: %s", strerror(errno));
  struct utsname* name = fresh();
  CALL(SYS_uname, name);
  EXPECT(strcmp(name->sysname, "Linux") == 0, "uname: %s", name->sysname);
  struct sysinfo* info = fresh();
  CALL(SYS_sysinfo, info);
  EXPECT(info->totalram > 0, "no memory");
  cpu_set_t* processors = fresh();
  EXPECT(CALL(SYS_sched_getaffinity, 0, sizeof *processors, processors) > 0, "no mask");
  EXPECT(CPU_COUNT(processors) > 0, "no processors");
  unsigned* processor = fresh();
  CALL(SYS_getcpu, processor, NULL, NULL);
  struct rusage* usage = fresh();
  CALL(SYS_getrusage, RUSAGE_SELF, usage);
  const pid_t child = fork();
  if (child == 0) _exit(7);
  int* status = fresh();
  EXPECT(CALL(SYS_wait4, child, status, 0, fresh()) == child, "another child");
  EXPECT(WEXITSTATUS(*status) == 7, "the child's status is %d", *status);
  errno = EDOM;
  EXPECT(syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, fresh(), NULL) == 0 &&
             errno == EDOM,
         "a call that succeeds changes errno");
}

// What one thread has opened and written, another one reads, on whichever node.
static void hand_over(void) {
  static int file;
  static char written[kBytes];
#pragma omp parallel num_threads(omp_get_max_threads())
  {
    const int last = omp_get_num_threads() - 1;
    if (omp_get_thread_num() == last) {
      memset(written, 'w', sizeof written);
      file = (int)CALL(SYS_openat, AT_FDCWD, path, O_RDWR, 0);
    }
#pragma omp barrier
    if (omp_get_thread_num() == 0) {
      EXPECT(CALL(SYS_pwrite64, file, written, kBytes, 0) == kBytes, "wrote less");
    }
#pragma omp barrier
    if (omp_get_thread_num() == last) {
      char* memory = fresh();
      EXPECT(CALL(SYS_pread64, file, memory, kBytes, 0) == kBytes, "read less");
      EXPECT(memcmp(memory, written, kBytes) == 0, "read other bytes than were written");
      CALL(SYS_close, file);
    }
  }
}

// A program that gives up its rights before it makes threads does so, or goes on without.
static void give_up_rights(void) {
  const unsigned long handled[] = {0x1fff};  // all of a landlock_ruleset_attr of the first kernels
  const long rules = syscall(SYS_landlock_create_ruleset, handled, sizeof handled, 0);
  const int is_not_there = rules < 0 && (errno == EOPNOTSUPP || errno == ENOSYS);
  EXPECT(rules >= 0 || is_not_there, "Landlock: %s", strerror(errno));
  EXPECT(is_not_there || weft_nodes() == 1, "threads would lose what Weft needs");
  if (rules >= 0) close((int)rules);
  const pid_t child = fork();  // which is no node
  if (child == 0) {
    const long own = syscall(SYS_landlock_create_ruleset, handled, sizeof handled, 0);
    _exit(own >= 0 || errno == EOPNOTSUPP || errno == ENOSYS ? 0 : 1);
  }
  int status = 0;
  EXPECT(waitpid(child, &status, 0) == child && status == 0, "the child ends with %d", status);
}

static void all(void) {
  read_and_write();
  ask_for_files();
  communicate();
  ask_for_system();
}

int main(void) {
  for (int i = 0; i < kBytes; ++i) contents[i] = (char)(i * 7 + i / 4096);
  strcpy(path, "/tmp/weft_system_calls_XXXXXX");
  const int file = mkstemp(path);
  EXPECT(file >= 0 && write(file, contents, kBytes) == kBytes, "cannot make %s", path);
  close(file);
  all();
#pragma omp parallel
#pragma omp critical
  all();
  hand_over();
  give_up_rights();
  unlink(path);
  return ok();
}
