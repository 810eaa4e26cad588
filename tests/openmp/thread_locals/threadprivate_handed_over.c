// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threadprivate variables that go from one thread to all: by copyin and by copyprivate.

#include <omp.h>
#include <string.h>

#include "../check.h"

static int number = 7;
static char text[40] = "at first";
static double table[50];
#pragma omp threadprivate(number, text, table)

static void by_copyin(int round) {
  number = 100 + round;
  strcpy(text, "copied in");
  for (int i = 0; i < 50; ++i) table[i] = i * round;
#pragma omp parallel copyin(number, text, table)
  {
    EXPECT(number == 100 + round, "Thread %d got %d.", omp_get_thread_num(), number);
    EXPECT(strcmp(text, "copied in") == 0, "Thread %d got '%s'.", omp_get_thread_num(), text);
    for (int i = 0; i < 50; ++i) EXPECT(table[i] == i * round, "Element %d is %g.", i, table[i]);
    number += omp_get_thread_num();
  }
  EXPECT(number == 100 + round, "The first thread's copy is %d.", number);
#pragma omp parallel
  EXPECT(number == 100 + round + omp_get_thread_num(), "Thread %d kept %d.", omp_get_thread_num(),
         number);
}

static void by_copyprivate(int round) {
#pragma omp parallel
  {
    int local = 0;
    number = -1;
#pragma omp single copyprivate(number, table, local)
    {
      number = 1000 + round;
      local = 2000 + round;
      for (int i = 0; i < 50; ++i) table[i] = i + round;
    }
    EXPECT(number == 1000 + round, "Thread %d got %d.", omp_get_thread_num(), number);
    EXPECT(local == 2000 + round, "Thread %d got %d locally.", omp_get_thread_num(), local);
    for (int i = 0; i < 50; ++i) EXPECT(table[i] == i + round, "Element %d is %g.", i, table[i]);
  }
}

int main(void) {
  for (int round = 0; round < 5; ++round) {
    by_copyin(round);
    by_copyprivate(round);
  }
  return ok();
}
