// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// master and masked: only the threads named run the block, and nobody waits.

#include <omp.h>

#include "../check.h"

int main(void) {
  enum { kMost = 1024 };
  static int master_runs[kMost], masked_runs[kMost], filtered_runs[kMost], each_runs[kMost];
  const int last = omp_get_max_threads() - 1;
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
#pragma omp master
    master_runs[me] += 1;
#pragma omp masked
    masked_runs[me] += 1;
#pragma omp masked filter(last)
    filtered_runs[me] += 1;
#pragma omp masked filter(me)
    each_runs[me] += 1;
  }
  for (int t = 0; t < kMost; ++t) {
    EXPECT(master_runs[t] == (t == 0), "master ran %d times on thread %d.", master_runs[t], t);
    EXPECT(masked_runs[t] == (t == 0), "masked ran %d times on thread %d.", masked_runs[t], t);
    EXPECT(filtered_runs[t] == (t == last), "filter(%d) ran %d times on thread %d.", last,
           filtered_runs[t], t);
    EXPECT(each_runs[t] == (t <= last), "filter(me) ran %d times on thread %d.", each_runs[t], t);
  }
  return ok();
}
