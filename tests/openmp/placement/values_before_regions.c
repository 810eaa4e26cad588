// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -pthread
// least_nodes: 2
// environment: WEFT_SPREAD=auto
//
// Values that main keeps before the first region (pthread_setspecific) do not keep regions on all
// nodes; nor do those of the program's own threads, at any time.

#include <omp.h>
#include <pthread.h>

#include "../check.h"
#include "process_of_thread.h"

enum { kRegions = 5 };

static pthread_key_t key;
static pthread_barrier_t before, between;

// A team of its own, before the first of main's; then it keeps a value among main's.
static void* keep(void* value) {
#pragma omp parallel num_threads(2)
  EXPECT(pthread_setspecific(key, value) == 0, "A team keeps nothing.");
  pthread_barrier_wait(&before);
  pthread_barrier_wait(&between);
  EXPECT(pthread_getspecific(key) == value, "A thread has lost its value.");
  return NULL;
}

static void* keep_later(void* value) {
  EXPECT(pthread_setspecific(key, value) == 0, "A thread keeps nothing.");
  return NULL;
}

static void expect_inside(int region) {
  const long here = process_of_thread();
  int elsewhere = 0;
#pragma omp parallel reduction(+ : elsewhere)
  elsewhere += process_of_thread() != here;
  EXPECT(elsewhere == 0, "%d threads of region %d ran elsewhere", elsewhere, region);
}

int main(void) {
  EXPECT(pthread_key_create(&key, NULL) == 0, "No key.");
  EXPECT(pthread_setspecific(key, &key) == 0, "main keeps nothing.");
  pthread_barrier_init(&before, NULL, 2);
  pthread_barrier_init(&between, NULL, 2);
  pthread_t thread, later;
  int value = 0;
  pthread_create(&thread, NULL, keep, &value);
  pthread_barrier_wait(&before);
  for (int region = 0; region < kRegions; ++region) expect_inside(region);
  pthread_create(&later, NULL, keep_later, &value);
  pthread_join(later, NULL);
  for (int region = 0; region < kRegions; ++region) expect_inside(kRegions + region);
  pthread_barrier_wait(&between);
  pthread_join(thread, NULL);
  EXPECT(pthread_getspecific(key) == &key, "main has lost its value.");
  return ok();
}
