// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// task_reduction and in_reduction, nested and over arrays; reduction(task, ...); taskloops with
// reductions; a user's own operator.

#include <omp.h>

#include "../check.h"

struct Range {
  int least, greatest;
};
static void widen(struct Range* into, const struct Range* from) {
  if (from->least < into->least) into->least = from->least;
  if (from->greatest > into->greatest) into->greatest = from->greatest;
}
#pragma omp declare reduction(widen : struct Range : widen(&omp_out, &omp_in)) \
    initializer(omp_priv = (struct Range){1 << 30, -(1 << 30)})

static void groups(void) {
  long sum = 1000;
  double product = 1;
  int bins[20] = {0};
  struct Range range = {5, 5};
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup task_reduction(+ : sum, bins) task_reduction(* : product) \
    task_reduction(widen : range)
    {
      for (int i = 0; i < 100; ++i) {
#pragma omp task in_reduction(+ : sum, bins) in_reduction(widen : range) firstprivate(i)
        {
          sum += i;
          bins[i % 20] += 1;
          if (i - 50 < range.least) range.least = i - 50;
          if (i - 50 > range.greatest) range.greatest = i - 50;
#pragma omp task in_reduction(+ : sum) firstprivate(i)
          sum += 1000 * i;
        }
      }
      for (int i = 0; i < 10; ++i) {
#pragma omp task in_reduction(* : product)
        product *= 2;
      }
    }
    EXPECT(sum == 1000 + 4950 + 4950000L, "The group's sum is %ld.", sum);
  }
  EXPECT(product == 1024, "The product is %g.", product);
  EXPECT(range.least == -50 && range.greatest == 49, "The range is %d to %d.", range.least,
         range.greatest);
  for (int b = 0; b < 20; ++b) EXPECT(bins[b] == 5, "Bin %d has %d.", b, bins[b]);
}

static long tree_sum(int depth) {
  long sum = 0;
#pragma omp taskgroup task_reduction(+ : sum)
  {
    for (int i = 0; i < 3; ++i) {
#pragma omp task in_reduction(+ : sum) firstprivate(depth)
      sum += depth == 0 ? 1 : tree_sum(depth - 1);
    }
  }
  return sum;
}

static void nested_groups(void) {
  long sum = 0;
#pragma omp parallel
#pragma omp single
  sum = tree_sum(3);
  EXPECT(sum == 81, "The tree has %ld leaves.", sum);
}

static void outer_group_in_inner(void) {
  long outer = 0, inner = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup task_reduction(+ : outer)
  {
    for (int i = 0; i < 8; ++i) {
#pragma omp task in_reduction(+ : outer) shared(inner)
      {
        long mine = 0;
#pragma omp taskgroup task_reduction(+ : mine)
        {
          for (int k = 0; k < 4; ++k) {
#pragma omp task in_reduction(+ : mine) in_reduction(+ : outer)
            {
              mine += 1;
              outer += 10;
            }
          }
        }
#pragma omp atomic
        inner += mine;
        outer += 1;
      }
    }
  }
  EXPECT(inner == 32 && outer == 328, "The groups have %ld and %ld.", inner, outer);
}

static void modifier(void) {
  long sum = 0;
  const int threads = omp_get_max_threads();
#pragma omp parallel reduction(task, + : sum)
  {
    sum += 1;
    for (int i = 0; i < 5; ++i) {
#pragma omp task in_reduction(+ : sum)
      sum += 10;
    }
  }
  EXPECT(sum == 51L * threads, "reduction(task) of a region gave %ld.", sum);
  sum = 0;
#pragma omp parallel
#pragma omp for reduction(task, + : sum)
  for (int i = 0; i < 40; ++i) {
#pragma omp task in_reduction(+ : sum) firstprivate(i)
    sum += i;
  }
  EXPECT(sum == 780, "reduction(task) of a loop gave %ld.", sum);
}

static void loops(void) {
  long sum = 0, more = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop reduction(+ : sum) grainsize(7)
    for (int i = 0; i < 1000; ++i) sum += i;
#pragma omp taskgroup task_reduction(+ : more)
#pragma omp taskloop in_reduction(+ : more) num_tasks(13)
    for (int i = 0; i < 1000; ++i) more += 2 * i;
  }
  EXPECT(sum == 499500 && more == 999000, "The loops gave %ld and %ld.", sum, more);
}

int main(void) {
  for (int round = 0; round < 2; ++round) {
    groups();
    nested_groups();
    outer_group_in_inner();
    modifier();
    loops();
  }
  return ok();
}
