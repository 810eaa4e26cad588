// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -pthread -D_GNU_SOURCE
// environment: WEFT_SPREAD=always
//
// A program that makes a thread for each processor that it is told of may bind each to "its"
// processor, though a host has fewer: such a number binds nobody. One that it was not told of is an
// error, as ever.

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>
#include <sys/sysinfo.h>

#include "../check.h"

static cpu_set_t set_of(int processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  return set;
}

static void* bind(void* argument) {
  const cpu_set_t set = set_of((int)(intptr_t)argument), untold = set_of(CPU_SETSIZE - 1);
  int error = pthread_setaffinity_np(pthread_self(), sizeof set, &set);
  EXPECT(error == 0, "pthread_setaffinity_np: %s", strerror(error));
  EXPECT(sched_setaffinity(0, sizeof set, &set) == 0, "sched_setaffinity: %s", strerror(errno));
  error = pthread_setaffinity_np(pthread_self(), sizeof untold, &untold);
  EXPECT(error == EINVAL, "no such processor: %s", strerror(error));
  EXPECT(sched_setaffinity(0, sizeof untold, &untold) == -1 && errno == EINVAL,
         "no such processor: %s", strerror(errno));
  return argument;
}

static pthread_barrier_t bound;  // while the thread lives
static void* bind_and_wait(void* argument) {
  bind(argument);
  pthread_barrier_wait(&bound);
  return argument;
}

int main(void) {
  pthread_barrier_init(&bound, NULL, 2);
  const int processors = get_nprocs();
  for (int i = 0; i < processors; i++) {
    const cpu_set_t set = set_of(i);
    pthread_t by_attribute, by_itself;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setaffinity_np(&attributes, sizeof set, &set);
    int error = pthread_create(&by_attribute, &attributes, bind, (void*)(intptr_t)i);
    EXPECT(error == 0, "by an attribute: %s", strerror(error));
    error = pthread_create(&by_itself, NULL, bind_and_wait, (void*)(intptr_t)i);
    EXPECT(error == 0, "by itself: %s", strerror(error));
    error = pthread_setaffinity_np(by_itself, sizeof set, &set);
    EXPECT(error == 0, "by its maker: %s", strerror(error));
    pthread_barrier_wait(&bound);
    EXPECT(pthread_join(by_attribute, NULL) == 0 && pthread_join(by_itself, NULL) == 0, "no join");
    pthread_attr_destroy(&attributes);
  }
  return ok();
}
