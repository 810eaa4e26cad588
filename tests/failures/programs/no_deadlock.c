// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One thread does something that takes a while, all others wait for it: no_deadlock WHAT THREAD. It
// goes on by itself, or because of something outside the job.
#include <omp.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { kSeconds = 2 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static volatile double number = 1;

static struct timespec later(void) {
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  time.tv_sec += kSeconds;
  return time;
}

static void compute(void) {
  const double end = omp_get_wtime() + kSeconds;
  while (omp_get_wtime() < end) {
    for (int i = 0; i < 1000; ++i) number = number * 1.0000001;
  }
}

static void receive(void) {
  int ends[2];
  socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
  const struct timeval time = {kSeconds, 0};
  setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
  char byte;
  if (recv(ends[0], &byte, 1, 0) != -1) abort();
}

static void wait_for_condition(void) {
  const struct timespec time = later();
  pthread_mutex_lock(&mutex);
  pthread_cond_timedwait(&condition, &mutex, &time);
  pthread_mutex_unlock(&mutex);
}

static void post(int signal) {
  (void)signal;
  sem_post(&semaphore);
}

static void wait_for_signal(void) {
  signal(SIGALRM, post);
  alarm(kSeconds);
  while (sem_wait(&semaphore) != 0) {
  }
}

static void wait_for_child(void) {
  const pid_t child = fork();
  if (child == 0) {
    sleep(kSeconds);
    _exit(0);
  }
  waitpid(child, NULL, 0);
}

static void read_line(void) {
  char line[100];
  if (fgets(line, sizeof line, stdin) == NULL) abort();
}

// Messages without end, and hardly a moment in which nobody waits.
static void hand_over(omp_lock_t* lock) {
  const double end = omp_get_wtime() + kSeconds;
  while (omp_get_wtime() < end) {
    omp_set_lock(lock);
    number = number + 1;
    omp_unset_lock(lock);
  }
}

int main(int argc, char** argv) {
  const char* what = argv[1];
  const int who = argc > 2 ? atoi(argv[2]) : 0;
  static omp_lock_t lock;
  omp_init_lock(&lock);
  sem_init(&semaphore, 0, 0);
#pragma omp parallel
  {
    if (strcmp(what, "locks") == 0) hand_over(&lock);
    if (omp_get_thread_num() == who) {
      if (strcmp(what, "compute") == 0) compute();
      if (strcmp(what, "sleep") == 0) sleep(kSeconds);
      if (strcmp(what, "read") == 0) read_line();
      if (strcmp(what, "receive") == 0) receive();
      if (strcmp(what, "time") == 0) wait_for_condition();
      if (strcmp(what, "signal") == 0) wait_for_signal();
      if (strcmp(what, "child") == 0) wait_for_child();
    }
  }
  puts("went on");
  return 0;
}
