// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomics beside plain data: own plain writes to the same page stay, and what was written before a
// release is seen after the acquire that read it.

#include <omp.h>
#include <string.h>

#include "../check.h"

enum { kMost = 1024, kRounds = 30 };

static struct {
  long counter;
  int plain[kMost];
  long ready[kMost];
  int payload[kMost][4];
} page;

// Between barriers, each thread writes its own plain element beside a counter that all update.
static void beside_plain_writes(void) {
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    for (int round = 0; round < kRounds; ++round) {
      page.plain[me] += 1;
#pragma omp atomic
      page.counter += 1;
      EXPECT(page.plain[me] == round + 1, "Thread %d lost its own write: %d.", me, page.plain[me]);
    }
  }
  EXPECT(page.counter == (long)kRounds * omp_get_max_threads(), "The counter is %ld.",
         page.counter);
  for (int t = 0; t < omp_get_max_threads(); ++t)
    EXPECT(page.plain[t] == kRounds, "plain[%d] is %d.", t, page.plain[t]);
}

static void messages(void) {
#pragma omp parallel
  {
    const int me = omp_get_thread_num(), team = omp_get_num_threads(), from = (me + 1) % team;
    for (int round = 1; round <= kRounds; ++round) {
      for (int k = 0; k < 4; ++k) page.payload[me][k] = round * 100 + me + k;
#pragma omp atomic write release
      page.ready[me] = round;
      long seen;
      do {
#pragma omp atomic read acquire
        seen = page.ready[from];
      } while (seen < round);
      for (int k = 0; k < 4; ++k)
        EXPECT(page.payload[from][k] == round * 100 + from + k,
               "Round %d: thread %d reads %d of thread %d.", round, me, page.payload[from][k],
               from);
#pragma omp barrier
    }
  }
}

// The main thread's plain value, set outside of any region, is what atomics start from.
static void from_plain_values(void) {
  for (int round = 0; round < 10; ++round) {
    page.counter = round * 1000;
#pragma omp parallel
    {
#pragma omp atomic
      page.counter += 1;
    }
    EXPECT(page.counter == round * 1000 + omp_get_max_threads(), "The counter is %ld.",
           page.counter);
  }
}

int main(void) {
  beside_plain_writes();
  memset(&page, 0, sizeof page);
  messages();
  from_plain_values();
  return ok();
}
