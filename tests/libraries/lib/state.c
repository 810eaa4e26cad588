// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every kind of data and code that a C library of a program may have.
// flags: -fcommon
#include "state.h"

#include <omp.h>
#include <stdlib.h>

int initialised[4] = {1, 2, 3, 4};
int zeros[kZeros];
int common_of_both[64];
int* block;
int constructed;
int per_thread = 3;
static int number, counter;
static long total;
static omp_lock_t lock;

__attribute__((constructor)) static void construct(void) {
  ++constructed;
  block = malloc(kBlock * sizeof *block);
  for (int i = 0; i < kBlock; ++i) block[i] = i;
  omp_init_lock(&lock);
}

static int twice(int argument) { return 2 * argument; }
static Function stored = twice;
Function function_of_library(void) { return stored; }
int call_back(Function function, int argument) { return function(argument) + 1; }

int next_number(void) {
  int mine;
#pragma omp critical(number_of_library)
  mine = ++number;
  return mine;
}

int atomic_count(int add) {
  int seen;
#pragma omp atomic capture
  seen = counter += add;
  return seen;
}

long sum_in_region(int count) {
  total = 0;
#pragma omp parallel for
  for (int i = 0; i < count; ++i) zeros[i] = block[i % kBlock] + initialised[i % 4];
#pragma omp parallel for schedule(dynamic, 7)
  for (int i = 0; i < count; ++i) {
    omp_set_lock(&lock);
    total += zeros[i];
    omp_unset_lock(&lock);
  }
  return total;
}

static long sum_of(int first, int count) {
  if (count < 100) {
    long sum = 0;
    for (int i = first; i < first + count; ++i) sum += zeros[i];
    return sum;
  }
  long low, high;
#pragma omp task shared(low)
  low = sum_of(first, count / 2);
#pragma omp task shared(high)
  high = sum_of(first + count / 2, count - count / 2);
#pragma omp taskwait
  return low + high;
}

long sum_in_tasks(int count) {
  long sum = 0;
#pragma omp parallel
#pragma omp single
  sum = sum_of(0, count);
  return sum;
}

int copied_in(int value) {
  int good = 0;
  per_thread = value;
#pragma omp parallel copyin(per_thread) reduction(+ : good)
  good += per_thread == value;
  return good;
}

int copied_privately(int value) {
  int good = 0;
#pragma omp parallel reduction(+ : good)
  {
#pragma omp single copyprivate(per_thread)
    per_thread = value;
    good += per_thread == value;
  }
  return good;
}
