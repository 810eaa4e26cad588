// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// threadprivate variables keep their values from region to region, each thread its own; copyin
// starts them from the main thread's.

#include <omp.h>
#include <string.h>

#include "../check.h"

typedef struct {
  int numbers[100];
  char name[20];
} State;

static int counter = 7;
static State state = {{1, 2, 3}, "initial"};
static double* buffer;
#pragma omp threadprivate(counter, state, buffer)

static int* count_here(void) {
  static int calls = 0;
#pragma omp threadprivate(calls)
  calls += 1;
  return &calls;
}

static void initial_values(void) {
#pragma omp parallel
  {
    EXPECT(counter == 7, "Thread %d starts with %d.", omp_get_thread_num(), counter);
    EXPECT(state.numbers[2] == 3 && !strcmp(state.name, "initial"), "Thread %d starts with '%s'.",
           omp_get_thread_num(), state.name);
    counter = 100 + omp_get_thread_num();
    state.numbers[99] = omp_get_thread_num();
    buffer = malloc(50 * sizeof *buffer);
    for (int i = 0; i < 50; ++i) buffer[i] = omp_get_thread_num() * 0.5;
  }
}

static void values_last(void) {
  for (int round = 0; round < 5; ++round) {
#pragma omp parallel
    {
      const int me = omp_get_thread_num();
      EXPECT(counter == 100 + me + round, "Round %d: thread %d has %d.", round, me, counter);
      EXPECT(state.numbers[99] == me, "Round %d: thread %d has state %d.", round, me,
             state.numbers[99]);
      for (int i = 0; i < 50; ++i)
        EXPECT(buffer[i] == me * 0.5, "Round %d: thread %d's buffer holds %g.", round, me,
               buffer[i]);
      counter += 1;
      EXPECT(*count_here() == round + 1, "The local static counts wrong.");
    }
  }
}

static void copied_in(void) {
  counter = -50;
  state.numbers[0] = 4444;
  strcpy(state.name, "copied");
#pragma omp parallel copyin(counter, state)
  {
    EXPECT(counter == -50, "copyin gave thread %d %d.", omp_get_thread_num(), counter);
    EXPECT(state.numbers[0] == 4444 && !strcmp(state.name, "copied"), "copyin gave thread %d '%s'.",
           omp_get_thread_num(), state.name);
    counter += omp_get_thread_num();
    free(buffer);
    buffer = NULL;
  }
#pragma omp parallel
  EXPECT(counter == -50 + omp_get_thread_num(), "Afterwards thread %d has %d.",
         omp_get_thread_num(), counter);
}

int main(void) {
  omp_set_dynamic(0);
  initial_values();
  values_last();
  copied_in();
  return ok();
}
