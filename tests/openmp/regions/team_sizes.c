// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Teams of every size, one after the other: on one node, on some nodes, on all, and larger ones than
// the job has threads for, which get all the threads that they ask for. Barriers, reductions and loops must be right in each.

#include <omp.h>

#include "../check.h"

enum { kMost = 64, kIterations = 200 };

static int seen[kMost];
static int times[kIterations];

static void one_team(int wanted) {
  int size = 0, sum = 0, dynamic_sum = 0;
  for (int i = 0; i < kMost; ++i) seen[i] = 0;
  for (int i = 0; i < kIterations; ++i) times[i] = 0;
#pragma omp parallel num_threads(wanted) reduction(+ : sum)
  {
    const int me = omp_get_thread_num();
    if (me == 0) size = omp_get_num_threads();
    seen[me] += 1;
#pragma omp barrier
    for (int i = 0; i < omp_get_num_threads(); ++i) {
      EXPECT(seen[i] == 1, "Thread %d does not see thread %d of %d.", me, i, wanted);
    }
    sum += me + 1;
#pragma omp for schedule(dynamic, 3) reduction(+ : dynamic_sum)
    for (int i = 0; i < kIterations; ++i) {
      times[i] += 1;
      dynamic_sum += i;
    }
    EXPECT(dynamic_sum == kIterations * (kIterations - 1) / 2, "The loop summed to %d.",
           dynamic_sum);
#pragma omp for schedule(guided) nowait
    for (int i = 0; i < kIterations; ++i) times[i] += 1;
  }
  EXPECT(size == wanted, "%d threads were asked for, %d came.", wanted, size);
  EXPECT(sum == size * (size + 1) / 2, "The sum over %d threads is %d.", size, sum);
  for (int i = 0; i < kIterations; ++i) {
    EXPECT(times[i] == 2, "Iteration %d ran %d times.", i, times[i]);
  }
}

int main(void) {
  const int most = omp_get_max_threads();
  for (int wanted = 1; wanted <= most + 2; ++wanted) one_team(wanted);
  for (int wanted = most + 1; wanted >= 1; --wanted) one_team(wanted);
  one_team(2 * most);
  one_team(3 * most + 1);
  for (int i = 0; i < 10; ++i) one_team(1 + (i * 7) % most);
  return ok();
}
