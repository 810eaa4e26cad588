// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sets of tasks (inoutset, mutexinoutset) between readers and writers, over several rounds, while
// other tasks keep all nodes busy: all of a set see what came before, and all that comes after sees
// all of the set.
// flags: -fopenmp-version=51

#include <omp.h>

#include "../check.h"

enum { kRounds = 12, kMembers = 10, kOthers = 40 };

static long parts[kMembers], seen[kMembers], unguarded, noise[kOthers];
static long base;

static long work(long from) {
  for (int i = 0; i < 2000; ++i) from = from * 1103515245 % 1000003 + 12345;
  return from;
}

// Tasks without any dependence, which idle nodes take.
static void make_others(void) {
  for (int i = 0; i < kOthers; ++i) {
#pragma omp task firstprivate(i) shared(noise)
    noise[i] = work(noise[i] + i);
  }
}

static void one_round(int round, long* total) {
#pragma omp task depend(out : parts) firstprivate(round) shared(base)
  base = work(round);
  for (int i = 0; i < kMembers; ++i) {
#pragma omp task depend(inoutset : parts) firstprivate(i) shared(parts, seen, base)
    {
      seen[i] = base;
      parts[i] += work(i) + base;
    }
    if (i % 3 == 0) make_others();
  }
  // Another set on the same data, of tasks that exclude each other.
  for (int i = 0; i < kMembers; ++i) {
#pragma omp task depend(mutexinoutset : parts) firstprivate(i) shared(parts, unguarded)
    {
      const long before = unguarded;
      parts[i] += 1;
      (void)work(i);
      unguarded = before + 1;
    }
  }
#pragma omp task depend(in : parts) firstprivate(round) shared(parts, seen, base, total)
  {
    for (int i = 0; i < kMembers; ++i) {
      EXPECT(seen[i] == base, "Round %d: a member saw %ld before the set, not %ld.", round, seen[i],
             base);
      *total += parts[i];
    }
  }
}

int main(void) {
  long total = 0, expected = 0, part[kMembers] = {0};
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < kRounds; ++round) one_round(round, &total);
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < kMembers; ++i) {
      part[i] += work(i) + work(round) + 1;
      expected += part[i];
    }
  }
  EXPECT(total == expected, "The readers summed up %ld, not %ld.", total, expected);
  EXPECT(unguarded == kRounds * kMembers, "%ld tasks of a set counted, not %d.", unguarded,
         kRounds * kMembers);
  return ok();
}
