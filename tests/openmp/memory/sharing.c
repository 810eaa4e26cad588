// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which memory is shared, and how finely: static data, the heap, the main thread's stack with
// variable-length arrays, constants, arguments and the environment; neighbours' bytes in one page.

#include <omp.h>
#include <string.h>

#include "../check.h"

enum { kBytes = 20000 };

static char mixed[kBytes];
static int initialised[4000] = {1, 2, 3, [3999] = 77};
static const int constants[5] = {10, 20, 30, 40, 50};
static const char* words[3] = {"warp", "weft", "shuttle"};
static double (*operation)(double);

static double twice(double x) { return 2 * x; }
static double square(double x) { return x * x; }

// Byte i belongs to thread i mod n: every page has bytes of every thread.
static void bytes_of_all_threads(void) {
  for (int round = 1; round <= 5; ++round) {
#pragma omp parallel
    {
      const int me = omp_get_thread_num(), team = omp_get_num_threads();
      for (int i = me; i < kBytes; i += team) mixed[i] = (char)(mixed[i] + i % 7 + round);
#pragma omp barrier
      const int start = me * 997 % kBytes;
      for (int k = 0; k < 500; ++k) {
        const int i = (start + k) % kBytes;
        EXPECT(mixed[i] == (char)(round * (i % 7) + round * (round + 1) / 2),
               "Round %d: thread %d sees %d at %d.", round, me, mixed[i], i);
      }
    }
  }
  for (int i = 0; i < kBytes; ++i)
    EXPECT(mixed[i] == (char)(5 * (i % 7) + 15), "In the end, %d at %d.", mixed[i], i);
}

static void on_the_stack(int size) {
  int array[size];
  int* const inside = array;
  struct {
    char text[30];
    long number;
  } record = {"", 0};
  for (int i = 0; i < size; ++i) array[i] = -1;
#pragma omp parallel
  {
    int mine[size];
    for (int i = 0; i < size; ++i) mine[i] = i * 2;
#pragma omp for schedule(dynamic, 16)
    for (int i = 0; i < size; ++i) inside[i] = mine[i];
#pragma omp single
    {
      strcpy(record.text, "written by one thread");
      record.number = 99;
    }
    EXPECT(!strcmp(record.text, "written by one thread") && record.number == 99,
           "Thread %d sees '%s', %ld.", omp_get_thread_num(), record.text, record.number);
  }
  for (int i = 0; i < size; ++i) EXPECT(array[i] == 2 * i, "array[%d] is %d.", i, array[i]);
}

// A thread's own stack variables, named by other threads.
static void other_threads_stacks(void) {
  static int* where[1024];
#pragma omp parallel
  {
    const int me = omp_get_thread_num(), next = (me + 1) % omp_get_num_threads();
    int mine[10];
    for (int i = 0; i < 10; ++i) mine[i] = me * 100 + i;
    where[me] = mine;
#pragma omp barrier
    for (int i = 0; i < 10; ++i)
      EXPECT(where[next][i] == next * 100 + i, "Thread %d reads %d from thread %d's stack.", me,
             where[next][i], next);
#pragma omp barrier
    where[next][3] = -me;
#pragma omp barrier
    EXPECT(mine[3] == -((me + omp_get_num_threads() - 1) % omp_get_num_threads()),
           "Thread %d's own variable is %d.", me, mine[3]);
#pragma omp barrier
  }
}

static void initial_contents(char** argv) {
#pragma omp parallel
  {
    EXPECT(initialised[2] == 3 && initialised[3999] == 77 && initialised[2000] == 0,
           "Initialised data are %d, %d.", initialised[2], initialised[3999]);
    EXPECT(constants[4] == 50 && !strcmp(words[1], "weft"), "Constants are wrong.");
    EXPECT(argv[0] && strlen(argv[0]) > 0, "The program's name is missing.");
    EXPECT(getenv("PATH") != NULL, "The environment is missing.");
  }
  operation = twice;
#pragma omp parallel
  {
    EXPECT(operation(3) == 6, "The function gave %g.", operation(3));
#pragma omp barrier
#pragma omp single
    operation = square;
    EXPECT(operation(3) == 9, "The second function gave %g.", operation(3));
  }
}

int main(int argc, char** argv) {
  EXPECT(argc >= 1, "There are %d arguments.", argc);
  initial_contents(argv);
  bytes_of_all_threads();
  on_the_stack(30);
  on_the_stack(3000);
  other_threads_stacks();
  return ok();
}
