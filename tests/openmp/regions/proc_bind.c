// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// environment: OMP_PLACES=threads OMP_PROC_BIND=close
// Threads of every node are bound inside it, and the queries about places make sense.

#include <omp.h>

#include "../check.h"

static void region(omp_proc_bind_t wanted) {
  EXPECT(wanted == omp_get_proc_bind(), "In the team, the binding is %d, not %d.",
         (int)omp_get_proc_bind(), (int)wanted);
  const int place = omp_get_place_num();
  EXPECT(place >= 0 && place < omp_get_num_places(), "Thread %d is at place %d of %d.",
         omp_get_thread_num(), place, omp_get_num_places());
  EXPECT(omp_get_place_num_procs(place) == 1, "Place %d has %d processors.", place,
         omp_get_place_num_procs(place));
}

int main(void) {
  EXPECT(omp_get_num_places() >= 1, "There are %d places.", omp_get_num_places());
  int threads = 0;
#pragma omp parallel reduction(+ : threads) proc_bind(spread)
  {
    threads += 1;
    if (omp_get_num_threads() > 1) region(omp_get_proc_bind());
  }
  EXPECT(threads == omp_get_max_threads(), "%d threads came.", threads);
#pragma omp parallel proc_bind(close)
  if (omp_get_num_threads() > 1) region(omp_get_proc_bind());
  return ok();
}
