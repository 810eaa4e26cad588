// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Without OMP_CANCELLATION, cancellation constructs do nothing.

#include <omp.h>

#include "../check.h"

int main(void) {
  int rounds = 0, ended = 0;
  EXPECT(!omp_get_cancellation(), "Cancellation is on.");
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < 100; ++i) {
#pragma omp atomic
      ++rounds;
#pragma omp cancel for
    }
#pragma omp cancel parallel
#pragma omp cancellation point parallel
#pragma omp atomic
    ++ended;
  }
  EXPECT(rounds == 100, "%d iterations ran.", rounds);
  EXPECT(ended == omp_get_max_threads(), "%d threads ended.", ended);
  return ok();
}
