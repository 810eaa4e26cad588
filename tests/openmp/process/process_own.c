// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -D_GNU_SOURCE
//
// What is each thread's in one process stays each thread's, also on other nodes; and what is each
// node's on purpose: /proc/self.

#include <errno.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <weft/process.h>

#include "../check.h"

static int me(void) { return omp_get_thread_num(); }

static void threads(void) {
#pragma omp parallel
  {
    char name[16], found[16];
    snprintf(name, sizeof name, "thread-%d", me());
    EXPECT(prctl(PR_SET_NAME, name) == 0, "PR_SET_NAME");
    sigset_t one, present;
    sigemptyset(&one);
    sigaddset(&one, me() % 2 == 0 ? SIGUSR1 : SIGUSR2);
    pthread_sigmask(SIG_SETMASK, &one, NULL);
    cpu_set_t all, first;
    EXPECT(sched_getaffinity(0, sizeof all, &all) == 0, "sched_getaffinity");
    int cpu = 0;
    while (!CPU_ISSET(cpu, &all)) ++cpu;
    CPU_ZERO(&first);
    CPU_SET(cpu, &first);
    if (me() % 2 == 0) sched_setaffinity(0, sizeof first, &first);
#pragma omp barrier
    EXPECT(prctl(PR_GET_NAME, found) == 0 && strcmp(found, name) == 0, "thread %d is called %s",
           me(), found);
    pthread_sigmask(SIG_SETMASK, NULL, &present);
    EXPECT(sigismember(&present, SIGUSR1) == (me() % 2 == 0), "thread %d has another's mask", me());
    cpu_set_t now;
    sched_getaffinity(0, sizeof now, &now);
    EXPECT(CPU_COUNT(&now) == (me() % 2 == 0 ? 1 : CPU_COUNT(&all)), "thread %d runs on %d", me(),
           CPU_COUNT(&now));
    sched_setaffinity(0, sizeof all, &all);
    struct rusage usage;
    EXPECT(getrusage(RUSAGE_THREAD, &usage) == 0 && usage.ru_utime.tv_sec < 50, "RUSAGE_THREAD");
    EXPECT(personality(0xffffffff) != -1, "personality");
    sigemptyset(&one);
    pthread_sigmask(SIG_SETMASK, &one, NULL);
  }
}

static void own_numbers(void) {
  static pid_t ids[512];
#pragma omp parallel
  {
    ids[me()] = gettid();
    FILE* file = fopen("/proc/self/stat", "r");
    int number = 0;
    EXPECT(file != NULL && fscanf(file, "%d", &number) == 1, "/proc/self/stat");
    EXPECT(number == weft_node_pid(), "/proc/self is of process %d", number);
    fclose(file);
  }
  for (int t = 0; t < omp_get_max_threads(); ++t)
    for (int u = 0; u < t; ++u) EXPECT(ids[t] != ids[u], "threads %d and %d have one number", t, u);
}

static volatile pid_t signalled;
static void on_signal(int number) { signalled = number == SIGUSR1 ? gettid() : -1; }

// main's thread has the process's number, on whatever node it is named, and no other thread has it.
static void main_thread(void) {
  EXPECT(gettid() == getpid(), "main is thread %d of process %d", gettid(), getpid());
  EXPECT(syscall(SYS_gettid) == getpid() && syscall(SYS_getpid) == getpid(), "syscall");
#pragma omp parallel
  {
    EXPECT((gettid() == getpid()) == (me() == 0), "thread %d has number %d", me(), gettid());
    EXPECT((syscall(SYS_gettid) == syscall(SYS_getpid)) == (me() == 0), "thread %d: syscall", me());
  }
  cpu_set_t before, one;
  sched_getaffinity(getpid(), sizeof before, &before);
  CPU_ZERO(&one);
  for (int cpu = 0; CPU_COUNT(&one) == 0; ++cpu)
    if (CPU_ISSET(cpu, &before)) CPU_SET(cpu, &one);
#pragma omp parallel
  if (me() == omp_get_num_threads() - 1)
    EXPECT(sched_setaffinity(getpid(), sizeof one, &one) == 0, "sched_setaffinity of main");
  cpu_set_t found;
  EXPECT(sched_getaffinity(0, sizeof found, &found) == 0 && CPU_EQUAL(&found, &one), "main's CPUs");
  sched_setaffinity(0, sizeof before, &before);
  EXPECT(sched_getaffinity(getpid(), sizeof found, &found) == 0 && CPU_EQUAL(&found, &before),
         "the CPUs of thread %d", getpid());
  signal(SIGUSR1, on_signal);
  EXPECT(tgkill(getpid(), gettid(), SIGUSR1) == 0 && signalled == getpid(), "tgkill: %d",
         signalled);
  signalled = 0;
  EXPECT(syscall(SYS_tgkill, getpid(), gettid(), SIGUSR1) == 0 && signalled == getpid(),
         "SYS_tgkill");
}

int main(void) {
  EXPECT(errno == 0, "main begins with %s.", strerror(errno));
  main_thread();
  threads();
  own_numbers();
  return ok();
}
