// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -D_GNU_SOURCE
//
// Calls that fewer programs make, on threads of all nodes: hsearch's table, waitid, groups by
// initgroups, the clock of the process, system calls by number.

#include <errno.h>
#include <grp.h>
#include <omp.h>
#include <search.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../check.h"

static bool is_last(void) { return omp_get_thread_num() == omp_get_num_threads() - 1; }

static void tables(void) {
  enum { kKeys = 40 };
  static char keys[kKeys][8];
  for (int i = 0; i < kKeys; ++i) snprintf(keys[i], sizeof keys[i], "key%d", i);
  errno = 0;
  EXPECT(hcreate((size_t)-1) == 0 && errno == ENOMEM, "A table of all there is: %d", errno);
  EXPECT(hcreate(kKeys) != 0, "hcreate");
#pragma omp parallel for ordered schedule(static, 1)
  for (int i = 0; i < kKeys; ++i) {
    const ENTRY entry = {keys[i], keys[(i + 1) % kKeys]};
#pragma omp ordered
    EXPECT(hsearch(entry, ENTER) != NULL, "%s cannot be entered", keys[i]);
  }
#pragma omp parallel
  for (int i = 0; i < kKeys; ++i) {
    const ENTRY* const found = hsearch((ENTRY){keys[i], NULL}, FIND);
    EXPECT(found != NULL && found->data == keys[(i + 1) % kKeys], "%s is not there", keys[i]);
  }
  EXPECT(hsearch((ENTRY){"none", NULL}, FIND) == NULL, "a key is there that nobody has entered");
  hdestroy();
  EXPECT(hcreate(2) != 0, "hcreate once more");
  EXPECT(hsearch((ENTRY){keys[0], NULL}, FIND) == NULL, "the new table has what the old one had");
  hdestroy();
}

static void children(void) {
  static pid_t child;
#pragma omp parallel
  if (is_last()) {
    child = fork();
    if (child == 0) _exit(7);
  }
  siginfo_t info = {0};
  EXPECT(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT) == 0, "waitid");
  EXPECT(info.si_pid == child && info.si_status == 7, "status %d", info.si_status);
#pragma omp parallel
  if (omp_get_thread_num() == 0) EXPECT(waitid(P_ALL, 0, NULL, WEXITED) == 0, "waitid of all");
  EXPECT(waitid(P_ALL, 0, &info, WEXITED) == -1, "there is one more child");
}

static void groups(void) {
  if (getuid() != 0) return;
#pragma omp parallel
  if (is_last()) EXPECT(initgroups("root", 4321) == 0, "initgroups");
#pragma omp parallel
  {
    gid_t found[64];
    const int count = getgroups(64, found);
    bool has_it = false;
    for (int i = 0; i < count; ++i) has_it = has_it || found[i] == 4321;
    EXPECT(has_it, "thread %d is in %d groups", omp_get_thread_num(), count);
  }
}

static void clocks(void) {
#pragma omp parallel
  {
    clockid_t clock;
    EXPECT(clock_getcpuclockid(getpid(), &clock) == 0, "clock_getcpuclockid");
    EXPECT(clock == CLOCK_PROCESS_CPUTIME_ID || omp_get_num_threads() == 1 || clock < 0, "clock %d",
           clock);
    struct timespec time;
    EXPECT(clock_gettime(clock, &time) == 0, "clock_gettime");
  }
}

static void by_number(void) {
  static int* memory;
#pragma omp parallel
  {
    if (is_last()) {
      memory = (int*)syscall(SYS_mmap, NULL, 4096L, (long)(PROT_READ | PROT_WRITE),
                             (long)(MAP_PRIVATE | MAP_ANONYMOUS), -1L, 0L);
      *memory = 42;
    }
#pragma omp barrier
    EXPECT(*memory == 42, "thread %d: %d", omp_get_thread_num(), *memory);
  }
  EXPECT(syscall(SYS_munmap, memory, 4096L) == 0, "munmap");
}

int main(void) {
  tables();
  children();
  groups();
  clocks();
  by_number();
  return ok();
}
