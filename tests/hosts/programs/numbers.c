/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The last thread, on another host than main, names the job's process and other hosts' threads by
 * their numbers. Without an argument it does what reaches them; with the name of a call, one that
 * is refused. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <omp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define CHECK(condition)                                                      \
  do {                                                                        \
    if (!(condition)) printf("line %d: %s\n", __LINE__, #condition), exit(1); \
  } while (0)

enum { kMostThreads = 64 };
static pid_t threads[kMostThreads];
static volatile sig_atomic_t plain, queued; /* how many, and the sum of what came with them */

static void on_signal(int number, siginfo_t* info, void* context) {
  (void)context;
  if (number == SIGUSR1) plain = plain + 1;
  if (number == SIGRTMIN) queued = queued + info->si_value.sival_int;
}

static void signal_main(void) {
  const union sigval value = {.sival_int = 11};
  siginfo_t info;
  memset(&info, 0, sizeof info);
  info.si_code = SI_QUEUE;
  info.si_value.sival_int = 12;
  CHECK(kill(getpid(), 0) == 0 && kill(getpid(), SIGUSR1) == 0);
  CHECK(syscall(SYS_kill, getpid(), SIGUSR1) == 0);
  CHECK(tgkill(getpid(), getpid(), SIGUSR1) == 0 &&
        syscall(SYS_tgkill, getpid(), getpid(), SIGUSR1) == 0);
  CHECK(syscall(SYS_tkill, getpid(), SIGUSR1) == 0);
  CHECK(tgkill(getpid(), gettid(), SIGUSR1) == -1); /* a thread of another process */
  CHECK(sigqueue(getpid(), SIGRTMIN, value) == 0);
  CHECK(syscall(SYS_rt_sigqueueinfo, getpid(), SIGRTMIN, &info) == 0);
}

static void ask_about(pid_t thread) {
  cpu_set_t before, one, found;
  struct sched_param parameter = {.sched_priority = 5};
  struct timespec interval;
  CHECK(sched_getaffinity(thread, sizeof before, &before) == 0);
  CPU_ZERO(&one);
  for (int cpu = 0; CPU_COUNT(&one) == 0; ++cpu)
    if (CPU_ISSET(cpu, &before)) CPU_SET(cpu, &one);
  CHECK(sched_setaffinity(thread, sizeof one, &one) == 0);
  CHECK(sched_getaffinity(thread, sizeof found, &found) == 0 && CPU_EQUAL(&found, &one));
  CHECK(syscall(SYS_sched_setaffinity, thread, sizeof before, &before) == 0);
  CHECK(syscall(SYS_sched_getaffinity, thread, sizeof found, &found) > 0 &&
        CPU_EQUAL(&found, &before));
  CHECK(sched_getscheduler(thread) == SCHED_OTHER);
  CHECK(sched_getparam(thread, &parameter) == 0 && parameter.sched_priority == 0);
  CHECK(sched_setscheduler(thread, SCHED_OTHER, &parameter) == 0 &&
        sched_setparam(thread, &parameter) == 0);
  CHECK(sched_rr_get_interval(thread, &interval) == 0);
  CHECK(setpriority(PRIO_PROCESS, (id_t)thread, 3) == 0 &&
        getpriority(PRIO_PROCESS, (id_t)thread) == 3);
  CHECK(syscall(SYS_getpriority, PRIO_PROCESS, thread) == 20 - 3);
}

static void ask_all(int last) {
  struct rlimit limit, found;
  for (int thread = 0; thread <= last; ++thread) {
    ask_about(threads[thread]);
    for (int other = 0; other < thread; ++other) CHECK(threads[other] != threads[thread]);
  }
  CHECK(getpriority(PRIO_PGRP, (id_t)getpgrp()) != -1);
  CHECK(prlimit(getpid(), RLIMIT_CORE, NULL, &limit) == 0);
  limit.rlim_cur = 0;
  CHECK(prlimit(getpid(), RLIMIT_CORE, &limit, NULL) == 0);
  CHECK(syscall(SYS_prlimit64, getpid(), RLIMIT_CORE, NULL, &found) == 0 && found.rlim_cur == 0);
  signal_main();
}

static void be_refused(const char* call) {
  char path[64], byte;
  struct stat status;
  const struct iovec here = {&byte, 1}, there = {&byte, 1};
  const struct f_owner_ex owner = {F_OWNER_PID, getpid()};
  int ends[2];
  CHECK(pipe(ends) == 0);
  snprintf(path, sizeof path, "/proc/%d/stat", getpid());
  if (strcmp(call, "pidfd_open") == 0) pidfd_open(getpid(), 0);
  if (strcmp(call, "ptrace") == 0) ptrace(PTRACE_ATTACH, getpid(), 0, 0);
  if (strcmp(call, "process_vm_readv") == 0) process_vm_readv(getpid(), &here, 1, &there, 1, 0);
  if (strcmp(call, "process_vm_writev") == 0) process_vm_writev(getpid(), &here, 1, &there, 1, 0);
  if (strcmp(call, "SYS_kcmp") == 0) syscall(SYS_kcmp, getpid(), getpid(), 0, 0, 0);
  if (strcmp(call, "SYS_pidfd_open") == 0) syscall(SYS_pidfd_open, getpid(), 0);
  if (strcmp(call, "SYS_perf_event_open") == 0)
    syscall(SYS_perf_event_open, NULL, getpid(), 0, -1, 0);
  if (strcmp(call, "fcntl") == 0) fcntl(ends[0], F_SETOWN, getpid());
  if (strcmp(call, "fcntl_ex") == 0) fcntl(ends[0], F_SETOWN_EX, &owner);
  if (strcmp(call, "open") == 0) (void)!open(path, O_RDONLY);
  if (strcmp(call, "fopen") == 0) (void)!fopen(path, "r");
  if (strcmp(call, "stat") == 0) stat(path, &status);
  if (strcmp(call, "killpg") == 0) killpg(getpgrp(), SIGURG);
  printf("%s is not refused\n", call);
}

int main(int count, char** arguments) {
  const struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
  sigaction(SIGUSR1, &action, NULL);
  sigaction(SIGRTMIN, &action, NULL);
#pragma omp parallel
  {
    const int me = omp_get_thread_num(), last = omp_get_num_threads() - 1;
    threads[me] = gettid();
#pragma omp barrier
    if (me == last && count > 1) be_refused(arguments[1]);
    if (me == last && count == 1) ask_all(last);
  }
  if (count > 1) return 0;
  while (plain == 0 || queued < 11 + 12) sched_yield();
  printf("signals came, with %d\n", (int)queued);
  return 0;
}
