// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Thread-local variables by their addresses: each thread's are read and written by all others, the
// first thread's before and after a region, too, and arrays over several pages.

#include <omp.h>
#include <string.h>

#include "../check.h"

enum { kThreads = 64, kLong = 3000, kRounds = 20 };

_Thread_local int number = 42;
static _Thread_local long table[kLong];
static _Thread_local char text[] = "at first";
static double privately = 1.5;
#pragma omp threadprivate(privately)
static _Thread_local _Atomic int hits;

typedef struct {
  int* number;
  long* table;
  char* text;
  double* privately;
  _Atomic int* hits;
} Addresses;

static Addresses all[kThreads];

static Addresses own(void) { return (Addresses){&number, table, text, &privately, &hits}; }

static void expect_first_contents(const Addresses* of, int thread) {
  EXPECT(*of->number == 42, "Thread %d's number is %d.", thread, *of->number);
  EXPECT(strcmp(of->text, "at first") == 0, "Thread %d's text is '%s'.", thread, of->text);
  EXPECT(*of->privately == 1.5, "Thread %d's is %g.", thread, *of->privately);
  for (int i = 0; i < kLong; ++i) EXPECT(of->table[i] == 0, "Element %d is %ld.", i, of->table[i]);
}

static void write_all(const Addresses* to, int value) {
  *to->number = value;
  snprintf(to->text, 9, "%d", value);
  *to->privately = value + 0.5;
  for (int i = 0; i < kLong; ++i) to->table[i] = value * 10000L + i;
}

static void expect_all(const Addresses* of, int value) {
  char expected[9];
  snprintf(expected, sizeof expected, "%d", value);
  EXPECT(*of->number == value, "The number is %d, not %d.", *of->number, value);
  EXPECT(strcmp(of->text, expected) == 0, "The text is '%s', not %d.", of->text, value);
  EXPECT(*of->privately == value + 0.5, "It is %g, not %d.5.", *of->privately, value);
  for (int i = 0; i < kLong; ++i) {
    EXPECT(of->table[i] == value * 10000L + i, "Element %d is %ld.", i, of->table[i]);
  }
}

// What one thread writes into another's, the owner and a third read.
static void go_round(int round) {
  const int me = omp_get_thread_num(), count = omp_get_num_threads();
  const int next = (me + 1 + round) % count, third = (me + 2 + 2 * round) % count;
  write_all(&all[next], 100 * round + next);
#pragma omp barrier
  const Addresses mine = own();
  expect_all(&mine, 100 * round + me);
  expect_all(&all[third], 100 * round + third);
#pragma omp barrier
}

static void count_hits(void) {
  const int count = omp_get_num_threads();
  for (int i = 0; i < count; ++i) ++*all[i].hits;
  for (int i = 0; i < 10; ++i) ++hits;
#pragma omp barrier
  EXPECT(hits == 10 + count, "A thread was hit %d times.", hits);
}

int main(void) {
  const Addresses mine = own();
  int by_others = 0;
#pragma omp parallel reduction(+ : by_others)
  {
    const int me = omp_get_thread_num(), count = omp_get_num_threads();
    all[me] = own();
#pragma omp barrier
    expect_first_contents(&all[(me + 1) % count], (me + 1) % count);
    expect_first_contents(&mine, 0);
#pragma omp barrier
    for (int round = 0; round < kRounds; ++round) go_round(round);
    count_hits();
    ++by_others;
  }
  write_all(&mine, 7);
#pragma omp parallel
  {
    const Addresses again = own();
    EXPECT(again.number == all[omp_get_thread_num()].number, "It has moved.");
    expect_all(&mine, 7);
#pragma omp barrier
#pragma omp for
    for (int i = 0; i < kLong; ++i) mine.table[i] = 2 * i;
  }
  for (int i = 0; i < kLong; ++i) EXPECT(table[i] == 2 * i, "Element %d is %ld.", i, table[i]);
  for (int i = 0; i < by_others; ++i) EXPECT(*all[i].hits == 10 + by_others, "After the region.");
  return ok();
}
