// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two threads compute a half each of an array, and meet at a barrier, again and again.
// Arguments: NUMBERS ROUNDS TURNS.
#include "threads.h"

static long numbers, rounds, turns;
static uint64_t* values;
static pthread_barrier_t all_done;

static uint64_t next(uint64_t value) {
  for (long turn = 0; turn < turns; ++turn) value = mixed(value + 1);
  return value;
}

static void* work(void* which) {
  const long begin = (long)which * numbers / 2, end = ((long)which + 1) * numbers / 2;
  for (long round = 0; round < rounds; ++round) {
    for (long i = begin; i < end; ++i) values[i] = next(values[i]);
    pthread_barrier_wait(&all_done);
  }
  return NULL;
}

int main(int argc, char** argv) {
  numbers = argument(argc, argv, 1, 20000);
  rounds = argument(argc, argv, 2, 20);
  turns = argument(argc, argv, 3, 20);
  values = malloc(sizeof(uint64_t) * (size_t)numbers);
  for (long i = 0; i < numbers; ++i) values[i] = (uint64_t)i;
  pthread_barrier_init(&all_done, NULL, 2);
  const double seconds = run_on_two(work);
  const long some = numbers / 3;
  uint64_t expected = (uint64_t)some;
  for (long round = 0; round < rounds; ++round) expected = next(expected);
  return finish(seconds, (long)(values[some] >> 1), (long)(expected >> 1));
}
