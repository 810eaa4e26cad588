// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Thread-local variables of threads that the program makes itself, one after the other, more than
// there are at any time: each finds its own as they were at first, whoever wrote into those of the
// thread before it. Joined ones, detached ones, and ones with a stack that the program gives.

#include <omp.h>
#include <pthread.h>
#include <sched.h>

#include "../check.h"

enum { kThreads = 64, kRounds = 40, kLong = 2000, kStackBytes = 1 << 18 };

static _Thread_local int number = 42;
static _Thread_local long table[kLong];

typedef struct {
  int* number;
  long* table;
  _Atomic int is_ready, is_written, is_over;
  int expected;
} Cell;

static Cell cells[kThreads];
static _Alignas(4096) char stacks[kThreads][kStackBytes];

static void* live(void* argument) {
  Cell* cell = argument;
  EXPECT(number == 42, "A new thread's number is %d.", number);
  for (int i = 0; i < kLong; ++i) EXPECT(table[i] == 0, "Its element %d is %ld.", i, table[i]);
  cell->number = &number;
  cell->table = table;
  cell->is_ready = 1;
  while (!cell->is_written) sched_yield();
  EXPECT(number == cell->expected, "It was given %d, not %d.", number, cell->expected);
  for (int i = 0; i < kLong; ++i) {
    EXPECT(table[i] == cell->expected + i, "Element %d is %ld.", i, table[i]);
  }
  number = -1;
  cell->is_over = 1;
  return &cell->expected;
}

// The neighbour's thread is on another node, or on this one.
static void write_to(Cell* cell, int value) {
  while (!cell->is_ready) sched_yield();
  *cell->number = value;
  for (int i = 0; i < kLong; ++i) cell->table[i] = value + i;
  cell->expected = value;
  cell->is_written = 1;
}

static void end(pthread_t thread, Cell* cell, int is_detached) {
  void* result = NULL;
  while (!cell->is_over) sched_yield();
  if (is_detached) return;
  EXPECT(pthread_join(thread, &result) == 0, "It cannot be joined.");
  EXPECT(result == &cell->expected, "Its result is %p.", result);
}

static void one_round(int round) {
  const int me = omp_get_thread_num(), count = omp_get_num_threads();
  const int is_detached = round % 4 == 1, has_stack = round % 4 == 2;
  pthread_attr_t attributes;
  pthread_t thread;
  cells[me] = (Cell){.number = NULL};
#pragma omp barrier
  pthread_attr_init(&attributes);
  if (is_detached) pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  if (has_stack) pthread_attr_setstack(&attributes, stacks[me], kStackBytes);
  EXPECT(pthread_create(&thread, &attributes, live, &cells[me]) == 0, "There is no thread.");
  pthread_attr_destroy(&attributes);
  if (round % 4 == 3) EXPECT(pthread_detach(thread) == 0, "It cannot be detached.");
  write_to(&cells[(me + 1) % count], 1000 * round + me);
  end(thread, &cells[me], round % 2 == 1);
#pragma omp barrier
}

int main(void) {
#pragma omp parallel
  for (int round = 0; round < kRounds; ++round) one_round(round);
  return ok();
}
