// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Target regions that are not waited for are tasks, wherever they begin: in the serial part, in a
// team that spans, in nested regions on any node, and in the one thread that is a node's part of a
// team.

#include <omp.h>

#include "../check.h"

enum { kMost = 4, kRounds = 5 };
static int count, order[3];

static void serial(void) {
  count = 0;
#pragma omp target nowait map(tofrom : count)
#pragma omp atomic
  count++;
#pragma omp target nowait map(tofrom : order) depend(out : order)
  order[0] = 1;
#pragma omp target nowait map(tofrom : order) depend(inout : order)
  order[1] = order[0] + 1;
#pragma omp task depend(in : order)
  order[2] = order[1] + 1;
#pragma omp taskwait
  EXPECT(count == 1 && order[2] == 3, "The serial part made %d and %d.", count, order[2]);
}

static void spanning(int threads) {
  count = 0;
#pragma omp parallel num_threads(threads)
  {
#pragma omp target nowait map(tofrom : count)
#pragma omp atomic
    count++;
  }
  EXPECT(count == threads, "%d threads made %d.", threads, count);
}

static void nested(int outer, int inner) {
  count = 0;
#pragma omp parallel num_threads(outer)
#pragma omp parallel num_threads(inner)
  {
#pragma omp target nowait map(tofrom : count)
#pragma omp atomic
    count++;
  }
  EXPECT(count == outer * inner, "%d threads in each of %d made %d.", inner, outer, count);
}

int main(void) {
  omp_set_max_active_levels(2);
  for (int round = 0; round < kRounds; ++round) {
    serial();
    for (int outer = 1; outer <= kMost; ++outer) {
      spanning(outer);
      for (int inner = 1; inner <= kMost; ++inner) nested(outer, inner);
    }
  }
  return ok();
}
