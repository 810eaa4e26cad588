// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -D_GNU_SOURCE
//
// What is asked about the process is answered for the job: its number, what it has used, its
// limits, its timers and children; and strtok goes on wherever it is called.

#include <errno.h>
#include <malloc.h>
#include <omp.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <weft/process.h>

#include "../check.h"

static int me(void) { return omp_get_thread_num(); }
static int last(void) { return omp_get_num_threads() - 1; }

static pid_t process_of_handler;
static volatile sig_atomic_t signals;
static void on_signal(int number) {
  process_of_handler = weft_node_pid();
  signals = signals + (number == SIGUSR1);
}

// From any thread, to the one process; and its group is changed from any.
static void signals_and_groups(void) {
  signal(SIGUSR1, on_signal);
#pragma omp parallel
  if (me() == last()) {
    EXPECT(kill(getpid(), SIGUSR1) == 0, "kill");
    // On one node, the process may lead a session already.
    EXPECT(setpgid(0, 0) == 0 || getsid(0) == getpid(), "setpgid: %s", strerror(errno));
  }
  while (signals == 0) sched_yield();
  EXPECT(process_of_handler == weft_node_pid(), "the signal came to process %d",
         process_of_handler);
#pragma omp parallel
  EXPECT(getpgrp() == getpid() && getpgid(0) == getpid(), "thread %d is in group %d", me(),
         getpgrp());
}

static void numbers(void) {
  const pid_t process = getpid(), parent = getppid(), group = getpgrp(), session = getsid(0);
  int nodes_seen = 0;
  EXPECT(weft_node_pid() == process, "main is not in the process");
#pragma omp parallel reduction(+ : nodes_seen)
  {
    EXPECT(getpid() == process, "thread %d is in process %d", me(), getpid());
    EXPECT(getppid() == parent && getpgrp() == group && getpgid(0) == group && getsid(0) == session,
           "thread %d is in another family", me());
    EXPECT(kill(getpid(), 0) == 0 && kill(weft_node_pid(), 0) == 0, "kill");
    nodes_seen += weft_node_pid() != process;
  }
  printf("# %d threads are in other processes\n", nodes_seen);
}

static volatile double sink;
static void compute(void) {
  struct timespec begin, now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
  do {
    for (int i = 0; i < 10000; ++i) sink = i;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  } while ((now.tv_sec - begin.tv_sec) * 1e9 + (double)(now.tv_nsec - begin.tv_nsec) < 5e7);
}

static double seconds_by_getrusage(void) {
  struct rusage usage;
  EXPECT(getrusage(RUSAGE_SELF, &usage) == 0, "getrusage");
  return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static double seconds_by_times(void) {
  struct tms used;
  EXPECT(times(&used) != (clock_t)-1, "times");
  return (double)(used.tms_utime + used.tms_stime) / (double)sysconf(_SC_CLK_TCK);
}

static double seconds_by_gettime(void) {
  struct timespec time;
  EXPECT(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0, "clock_gettime");
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double seconds_by_clock(void) { return (double)clock() / CLOCKS_PER_SEC; }

// Each thread uses 50 ms, and whoever asks is told of all.
static void usage(void) {
  double (*const clocks[])(void) = {seconds_by_getrusage, seconds_by_times, seconds_by_gettime,
                                    seconds_by_clock};
  double before[4], after[4];
  for (int i = 0; i < 4; ++i) before[i] = clocks[i]();
#pragma omp parallel
  {
    compute();
#pragma omp barrier
    if (me() == last())
      for (int i = 0; i < 4; ++i) after[i] = clocks[i]();
  }
  for (int i = 0; i < 4; ++i) {
    const double least = 0.04 * omp_get_max_threads();  // clocks have ticks
    EXPECT(after[i] - before[i] >= least, "by clock %d, %g s were used", i, after[i] - before[i]);
  }
}

static void limits(void) {
  const struct rlimit core = {0, 0}, stack = {12 << 20, RLIM_INFINITY};
  struct rlimit before;
  EXPECT(setrlimit(RLIMIT_CORE, &core) == 0, "setrlimit");
  EXPECT(getrlimit(RLIMIT_STACK, &before) == 0 && setrlimit(RLIMIT_STACK, &stack) == 0, "stack");
#pragma omp parallel
  {
    struct rlimit found;
    EXPECT(getrlimit(RLIMIT_CORE, &found) == 0 && found.rlim_cur == 0, "thread %d may dump core",
           me());
    EXPECT(prlimit(0, RLIMIT_STACK, NULL, &found) == 0 && found.rlim_cur == 12 << 20,
           "thread %d: another stack", me());
#pragma omp barrier
    if (me() == last()) EXPECT(setrlimit(RLIMIT_STACK, &before) == 0, "back");
  }
}

static volatile sig_atomic_t alarms;
static void on_alarm(int number) { alarms = alarms + (number == SIGALRM); }

static void timers(void) {
  signal(SIGALRM, on_alarm);
  alarm(1000);
  unsigned left = 0;
  timer_t timer;
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
#pragma omp parallel
  if (me() == last()) {
    left = alarm(0);
    EXPECT(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0, "timer_create");
    const struct itimerval long_time = {{0, 0}, {500, 0}};
    EXPECT(setitimer(ITIMER_REAL, &long_time, NULL) == 0, "setitimer");
  }
  EXPECT(left > 900 && left <= 1000, "%u seconds were left", left);
  struct itimerval old;
  const struct itimerval none = {{0, 0}, {0, 0}};
  EXPECT(setitimer(ITIMER_REAL, &none, &old) == 0 && old.it_value.tv_sec > 400, "%ld s were left",
         (long)old.it_value.tv_sec);
  const struct itimerspec soon = {{0, 0}, {0, 1000}};
  EXPECT(timer_settime(timer, 0, &soon, NULL) == 0, "timer_settime: %s", strerror(errno));
  while (alarms == 0) sched_yield();
#pragma omp parallel
  if (me() == last()) {
    struct itimerspec rest;
    EXPECT(timer_gettime(timer, &rest) == 0 && rest.it_value.tv_sec == 0, "timer_gettime");
    EXPECT(timer_delete(timer) == 0, "timer_delete");
  }
  EXPECT(timer_delete(timer) == -1, "the timer was not deleted");
}

// Made by one thread, waited for by another.
static void children(void) {
  pid_t child = fork();
  if (child == 0) _exit(7);
  int status = 0;
#pragma omp parallel
  if (me() == last()) EXPECT(waitpid(child, &status, 0) == child, "waitpid: %s", strerror(errno));
  EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 7, "status %x", status);
#pragma omp parallel
  if (me() == last()) {
    child = fork();
    if (child == 0) _exit(getpid() == weft_node_pid() ? 8 : 9);
  }
  EXPECT(wait(&status) == child && WEXITSTATUS(status) == 8, "status %x", status);
  EXPECT(wait(&status) == -1 && errno == ECHILD, "there is one more child");
}

static void words(void) {
  static char text[] = "one two three four";
  EXPECT(strcmp(strtok(text, " "), "one") == 0, "one");
#pragma omp parallel
  if (me() == last()) EXPECT(strcmp(strtok(NULL, " "), "two") == 0, "two");
  EXPECT(strcmp(strtok(NULL, " "), "three") == 0, "three");
}

// The heap's size is all nodes' together.
static void heap(void) {
  enum { kLarge = 64 << 20 };
  char* block = NULL;
#pragma omp parallel
  if (omp_get_thread_num() == omp_get_num_threads() - 1) block = malloc(kLarge);
#pragma omp parallel
  {
    const struct mallinfo2 numbers = mallinfo2();
    EXPECT(numbers.uordblks + numbers.hblkhd >= kLarge, "mallinfo2 tells of %zu bytes",
           numbers.uordblks + numbers.hblkhd);
    EXPECT(mallopt(M_TRIM_THRESHOLD, kLarge) == 1, "mallopt");
  }
  free(block);
}

int main(void) {
  numbers();
  usage();
  limits();
  timers();
  children();
  words();
  signals_and_groups();
  heap();
  return ok();
}
