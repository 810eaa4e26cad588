// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `weft run --stats` says why regions and threads do not come to one node where the program is the reason.
//
// REQUIRES: cluster
// RUN: weftcc -O1 -fopenmp %s -o %t.regions
// RUN: weft run -n 2 --threads 1 --spread auto --stats %t.regions 2>&1 | FileCheck -check-prefix=REGIONS %s
// REGIONS: weft: node 0: regions stay on all nodes, as the program speaks of nodes
//
// RUN: weftcc -O1 -pthread -DTHREADS %s -o %t.threads
// RUN: weft run -n 2 --threads 1 --spread auto --memory 1G --stats %t.threads 2>&1 | FileCheck -check-prefix=THREADS %s
// THREADS: weft: node 0: threads stay where they begin, as the program calls pthread_cancel
//
// Nobody asks why where the user has chosen.
// RUN: weft run -n 2 --threads 1 --spread always --stats %t.threads 2>&1 | FileCheck -check-prefix=CHOSEN %s
// RUN: weft run -n 2 --threads 1 --spread auto --threads-on all --stats %t.threads 2>&1 | FileCheck -check-prefix=CHOSEN %s
// CHOSEN-NOT: threads stay
// CHOSEN: weft: node
// CHOSEN-NOT: threads stay
#include <pthread.h>
#include <stddef.h>
#include <weft/weft.h>

#ifdef THREADS
static void* meet(void* argument) {
  pthread_barrier_wait(argument);
  return NULL;
}

int main(void) {
  pthread_barrier_t meeting;
  pthread_t thread;
  pthread_barrier_init(&meeting, NULL, 2);
  if (pthread_create(&thread, NULL, meet, &meeting) != 0) return 1;
  pthread_cancel(thread);
  pthread_barrier_wait(&meeting);
  return pthread_join(thread, NULL);
}
#else
int main(void) {
  int sum = 0;
#pragma omp parallel reduction(+ : sum)
  sum += weft_node();
  return sum == weft_nodes() * (weft_nodes() - 1) / 2 ? 0 : 1;
}
#endif
