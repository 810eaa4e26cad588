// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -D_GNU_SOURCE
//
// The C library's sequences of random numbers are one for the whole job: whoever draws takes the
// next number. Draws in a known order give what one thread draws by itself.

#include <omp.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../check.h"

enum { kRounds = 60 };

static int me(void) { return omp_get_thread_num(); }
static int by_int(const void* a, const void* b) {
  return (*(const int*)a > *(const int*)b) - (*(const int*)a < *(const int*)b);
}

// As rand and random are: the additive generator that the C library begins with.
static int expected[4096];
static struct random_data reference;
static char reference_state[128];

static void expect_from_seed(unsigned seed) {
  memset(&reference, 0, sizeof reference);
  initstate_r(seed, reference_state, sizeof reference_state, &reference);
  for (int i = 0; i < 4096; ++i) random_r(&reference, &expected[i]);
}

// Threads draw in turn.
static void in_turn(int from) {
#pragma omp parallel
  for (int turn = 0; turn < kRounds; ++turn) {
    if (turn % omp_get_num_threads() == me()) {
      const int drawn = turn % 2 == 0 ? rand() : (int)random();
      EXPECT(drawn == expected[from + turn], "thread %d drew %d instead of %d", me(), drawn,
             expected[from + turn]);
    }
#pragma omp barrier
  }
}

// All at once: nobody draws what another has drawn, and no number is left out.
static void at_once(void) {
  static int drawn[4096];
  srand(99);
  expect_from_seed(99);
  int count = 0;
#pragma omp parallel reduction(+ : count)
  for (int i = 0; i < 50; ++i) drawn[me() * 50 + i] = rand(), ++count;
  qsort(drawn, (size_t)count, sizeof *drawn, by_int);
  qsort(expected, (size_t)count, sizeof *expected, by_int);
  EXPECT(memcmp(drawn, expected, (size_t)count * sizeof *drawn) == 0, "other numbers were drawn");
}

static void seeded_elsewhere(void) {
  expect_from_seed(7);
#pragma omp parallel
  if (me() == omp_get_num_threads() - 1) srandom(7);
  for (int i = 0; i < 10; ++i)
    EXPECT(rand() == expected[i], "the seed of another thread did not count");
  in_turn(10);
}

// A state in the program's memory, begun by main, used and put aside by others.
static void states(void) {
  static char mine[64];
  struct random_data data;
  char state[64];
  memset(&data, 0, sizeof data);
  initstate_r(5, state, sizeof state, &data);
  expect_from_seed(3);
  srand(3);
  EXPECT(rand() == expected[0], "first of 3");
  char* const before = initstate(5, mine, sizeof mine);
#pragma omp parallel
  if (me() == omp_get_num_threads() - 1) {
    int want;
    random_r(&data, &want);
    EXPECT(random() == want, "first of the program's state");
    EXPECT(setstate(before) == mine, "another state was in use");
    EXPECT(random() == expected[1], "the default state did not go on");
  }
  EXPECT(random() == expected[2], "third of 3");
  EXPECT(setstate(mine) == before, "the default state was not in use");
  int want;
  random_r(&data, &want);
  EXPECT(random() == want, "second of the program's state");
  setstate(before);
}

static void forty_eight(void) {
  static double numbers[kRounds];
  struct drand48_data data;
  memset(&data, 0, sizeof data);
  srand48_r(11, &data);
  for (int i = 0; i < kRounds; ++i) drand48_r(&data, &numbers[i]);
  srand48(11);
#pragma omp parallel
  for (int turn = 0; turn < kRounds; ++turn) {
    if (turn % omp_get_num_threads() == me()) {
      const double drawn = drand48();
      EXPECT(drawn == numbers[turn], "thread %d drew %g instead of %g", me(), drawn, numbers[turn]);
    }
#pragma omp barrier
  }
  unsigned short parameters[7] = {1, 2, 3, 5, 7, 9, 11};
  long want, got = 0;
  lcong48_r(parameters, &data);
  lrand48_r(&data, &want);
  lcong48(parameters);
#pragma omp parallel
  if (me() == omp_get_num_threads() - 1) got = lrand48();
  EXPECT(got == want, "%ld instead of %ld", got, want);
  // The multiplier is the process's, the state the caller's.
  unsigned short state[3] = {3, 4, 5}, same[3] = {3, 4, 5};
  jrand48_r(same, &data, &want);
#pragma omp parallel
  if (me() == omp_get_num_threads() - 1) got = jrand48(state);
  EXPECT(got == want && memcmp(state, same, sizeof state) == 0, "jrand48");
}

static void in_a_child(void) {
  expect_from_seed(21);
#pragma omp parallel
  if (me() == omp_get_num_threads() - 1) {
    srand(21);
    EXPECT(rand() == expected[0], "first of 21");
  }
  const pid_t child = fork();
  if (child == 0) _exit(rand() == expected[1] ? 5 : 6);
  int status = 0;
  EXPECT(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 5,
         "the child drew another number");
  EXPECT(rand() == expected[1], "the child drew a number of its parent's");
}

int main(void) {
  expect_from_seed(1);
  in_turn(0);
  srand(42);
  expect_from_seed(42);
  in_turn(0);
  at_once();
  seeded_elsewhere();
  states();
  forty_eight();
  in_a_child();
  return ok();
}
