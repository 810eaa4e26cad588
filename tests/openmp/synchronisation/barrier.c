// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers: everything written before one is seen after it, by everybody, many times over.

#include <omp.h>

#include "../check.h"

enum { kMost = 1024, kRounds = 60 };
static int place[kMost];
static char bytes[kMost];  // neighbours' bytes, in the same pages

int main(void) {
  int rounds = 0;
#pragma omp parallel
  {
    const int me = omp_get_thread_num(), team = omp_get_num_threads();
    for (int round = 0; round < kRounds; ++round) {
      place[me] = round * 1000 + me;
      bytes[me] = (char)(round + me);
#pragma omp barrier
      for (int t = 0; t < team; ++t) {
        EXPECT(place[t] == round * 1000 + t, "Round %d: thread %d sees %d of thread %d.", round, me,
               place[t], t);
        EXPECT(bytes[t] == (char)(round + t), "Round %d: thread %d sees byte %d of thread %d.",
               round, me, bytes[t], t);
      }
#pragma omp barrier
      if (me == round % team) rounds += 1;
    }
  }
  EXPECT(rounds == kRounds, "%d rounds were counted.", rounds);
  return ok();
}
