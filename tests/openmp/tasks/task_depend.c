// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// depend in all its kinds: in, out, inout, mutexinoutset, inoutset, depobj, iterators,
// omp_all_memory, and taskwait with depend.
// flags: -fopenmp-version=51

#include <omp.h>

#include "../check.h"

enum { kSteps = 30, kCells = 8 };

static void chain(void) {
  int x = 0, y = 0, z = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kSteps; ++i) {
#pragma omp task depend(inout : x) shared(x)
    x = x * 3 + 1;
#pragma omp task depend(in : x) depend(out : y) shared(x, y)
    y = x;
#pragma omp task depend(in : x) depend(out : z) shared(x, z)
    z = x + 1;
#pragma omp task depend(in : y, z) depend(inout : x) shared(x, y, z)
    x = (y + z) % 1000;
  }
  int expected = 0;
  for (int i = 0; i < kSteps; ++i) {
    expected = expected * 3 + 1;
    expected = (expected + expected + 1) % 1000;
  }
  EXPECT(x == expected, "The chain gave %d, not %d.", x, expected);
}

static void sets(void) {
  int sum = 0, parts[kCells] = {0}, total = -1, after = -1;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : sum) shared(sum)
    sum = 100;
    for (int i = 0; i < 20; ++i) {
#pragma omp task depend(mutexinoutset : sum) shared(sum)
      sum += 1;  // not atomic: one at a time
    }
#pragma omp task depend(in : sum) shared(sum, total)
    total = sum;
    for (int i = 0; i < kCells; ++i) {
#pragma omp task depend(inoutset : parts) shared(parts) firstprivate(i)
      parts[i] = i + 1;
    }
#pragma omp task depend(in : parts) shared(parts, after)
    {
      after = 0;
      for (int i = 0; i < kCells; ++i) after += parts[i];
    }
  }
  EXPECT(total == 120, "mutexinoutset gave %d.", total);
  EXPECT(after == kCells * (kCells + 1) / 2, "inoutset gave %d.", after);
}

static void objects_and_iterators(void) {
  static int cells[kCells];
  int a = 0, sum = 0;
  for (int i = 0; i < kCells; ++i) cells[i] = 0;
#pragma omp parallel
#pragma omp single
  {
    omp_depend_t object;
#pragma omp depobj(object) depend(inout : a)
#pragma omp task depend(depobj : object) shared(a)
    a = 1;
#pragma omp task depend(depobj : object) shared(a)
    a = a * 10 + 2;
#pragma omp depobj(object) update(in)
#pragma omp task depend(depobj : object) shared(a, cells)
    cells[0] = a;
#pragma omp taskwait depend(depobj : object)
    EXPECT(a == 12, "After taskwait with a depobj a is %d.", a);
#pragma omp taskwait
#pragma omp depobj(object) destroy
    EXPECT(cells[0] == 12, "The depobj's reader saw %d.", cells[0]);
    for (int i = 0; i < kCells; ++i) {
#pragma omp task depend(out : cells[i]) shared(cells) firstprivate(i)
      cells[i] = i;
    }
#pragma omp task depend(iterator(i = 0 : kCells), in : cells[i]) shared(cells, sum)
    for (int i = 0; i < kCells; ++i) sum += cells[i];
  }
  EXPECT(sum == kCells * (kCells - 1) / 2, "The task after all cells saw %d.", sum);
}

static void all_memory(void) {
  int a = 0, b = 0, seen = -1, later = -1;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : a) shared(a)
    a = 1;
#pragma omp task depend(out : b) shared(b)
    b = 2;
#pragma omp task depend(out : omp_all_memory) shared(a, b, seen)
    {
      seen = a * 10 + b;
      a = b = 5;
    }
#pragma omp task depend(in : b) shared(a, b, later)
    later = a + b;
  }
  EXPECT(seen == 12 && later == 10, "omp_all_memory: saw %d, left %d.", seen, later);
}

static void waits(void) {
  int x = 0, y = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : x) shared(x)
    x = 7;
#pragma omp task depend(out : y) shared(y)
    y = 8;
#pragma omp taskwait depend(in : x)
    EXPECT(x == 7, "After the wait for it x is %d.", x);
#pragma omp task if (0) depend(in : y) shared(y)
    EXPECT(y == 8, "An undeferred task saw y = %d.", y);
  }
}

int main(void) {
  for (int round = 0; round < 3; ++round) {
    chain();
    sets();
    objects_and_iterators();
    all_memory();
    waits();
  }
  return ok();
}
