// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nested parallel regions: inactive by default at the second level, and their memory is right.

#include <omp.h>

#include "../check.h"

static void serialised(void) {
  omp_set_max_active_levels(1);
  int inner_runs = 0;
#pragma omp parallel
  {
    const int outer = omp_get_thread_num();
    int mine = 0;
#pragma omp parallel reduction(+ : mine)
    {
      EXPECT(omp_get_level() == 2, "The level is %d.", omp_get_level());
      EXPECT(omp_get_num_threads() == 1, "The inner team has %d threads.", omp_get_num_threads());
      EXPECT(omp_get_thread_num() == 0, "The inner thread is number %d.", omp_get_thread_num());
      EXPECT(omp_get_ancestor_thread_num(1) == outer, "The ancestor is %d, not %d.",
             omp_get_ancestor_thread_num(1), outer);
      mine += 1;
    }
    EXPECT(omp_get_thread_num() == outer, "The thread's number changed after the inner region.");
    EXPECT(mine == 1, "The inner region ran %d times.", mine);
#pragma omp atomic
    inner_runs += mine;
  }
  EXPECT(inner_runs == omp_get_max_threads(), "%d inner regions ran.", inner_runs);
}

static void worksharing_inside(void) {
  long total = 0;
#pragma omp parallel
  {
    long mine = 0;
#pragma omp parallel for reduction(+ : mine) schedule(dynamic)
    for (int i = 0; i < 100; ++i) mine += i;
    EXPECT(mine == 4950, "The inner loop summed to %ld.", mine);
#pragma omp critical
    total += mine;
  }
  EXPECT(total == 4950L * omp_get_max_threads(), "The total is %ld.", total);
}

// A region of one thread inside the team, and one more in that: neither is an outermost one.
static void inside_a_serialised_one(void) {
  int runs = 0;
#pragma omp parallel
  {
#pragma omp parallel if (0)
    {
#pragma omp parallel
      {
        EXPECT(omp_get_level() == 3, "The level is %d.", omp_get_level());
#pragma omp atomic
        runs += omp_get_thread_num() == 0;
      }
    }
#pragma omp parallel num_threads(1)
    {
#pragma omp parallel num_threads(2)
      {
#pragma omp atomic
        runs += omp_get_thread_num() == 0;
      }
    }
  }
  EXPECT(runs == 2 * omp_get_max_threads(), "%d innermost regions ran.", runs);
}

static void explicit_inner_team(void) {
  omp_set_max_active_levels(2);
  const int outer = omp_get_max_threads() < 2 ? 1 : 2;
  int count = 0, expected = 0;
#pragma omp parallel num_threads(outer)
  {
    int inner_team = 0, inner_count = 0;
#pragma omp parallel num_threads(2) shared(inner_team, inner_count)
    {
#pragma omp master
      inner_team = omp_get_num_threads();
#pragma omp atomic
      inner_count += 1;
    }
    EXPECT(inner_count == inner_team, "%d threads ran in an inner team of %d.", inner_count,
           inner_team);
#pragma omp critical
    {
      count += inner_count;
      expected += inner_team;
    }
  }
  EXPECT(count == expected && count >= outer, "%d inner threads ran, not %d.", count, expected);
  omp_set_max_active_levels(1);
}

int main(void) {
  serialised();
  inside_a_serialised_one();
  worksharing_inside();
  explicit_inner_team();
  return ok();
}
