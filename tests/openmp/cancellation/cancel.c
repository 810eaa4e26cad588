// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cancellation of parallel, for and sections: the construct ends early, for all threads of the team
// alike, and everything after it runs as if it had not been.
// On one node it is libomp that cancels, and 19.1 fails an assertion of its own in dynamic loops.
// environment: OMP_CANCELLATION=true
// least_nodes: 2

#include <omp.h>

#include "../check.h"

static void of_a_parallel_region(int canceller) {
  int after = 0, reached = 0;
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
#pragma omp atomic
    ++reached;
    if (me == canceller % omp_get_num_threads()) {
#pragma omp cancel parallel
    }
    // Those that pass here before they can know of it meet the others at the barrier.
#pragma omp cancellation point parallel
#pragma omp barrier
#pragma omp atomic
    ++after;
  }
  EXPECT(reached == omp_get_max_threads(), "%d threads began.", reached);
  EXPECT(after == 0, "%d threads went on after the region was cancelled.", after);
}

// Threads wait for the cancellation at nothing but cancellation points: it must reach all nodes.
static void noticed_at_cancellation_points(void) {
  int ended = 0;
#pragma omp parallel
  {
    if (omp_get_thread_num() == omp_get_num_threads() - 1) {
#pragma omp cancel parallel
    }
    for (;;) {
#pragma omp cancellation point parallel
    }
#pragma omp atomic
    ++ended;
  }
  EXPECT(ended == 0, "%d threads came out of an endless loop.", ended);
}

static void of_a_loop(void) {
  int after = 0;
  long rounds = 0;
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int i = 0; i < 1000; ++i) {
      if (omp_get_thread_num() == 0) {
#pragma omp cancel for
      }
      for (;;) {
#pragma omp cancellation point for
      }
    }
#pragma omp atomic
    ++after;
    // The next loops are whole.
#pragma omp for schedule(static) reduction(+ : rounds)
    for (int i = 0; i < 1000; ++i) ++rounds;
#pragma omp for schedule(dynamic, 3)
    for (int i = 0; i < 1000; ++i) {
#pragma omp atomic
      ++rounds;
    }
  }
  EXPECT(after == omp_get_max_threads(), "%d threads left the cancelled loop.", after);
  EXPECT(rounds == 2000, "Loops after a cancelled one had %ld iterations.", rounds);
}

// Who finds it ends the search; most of a long loop is never run.
static void search(omp_sched_t schedule, int chunk) {
  enum { kCount = 100000000, kPlace = 12345 };
  long tried = 0;
  int found = -1, whole = 0;
  omp_set_schedule(schedule, chunk);
#pragma omp parallel
  {
#pragma omp for schedule(runtime)
    for (int i = 0; i < kCount; ++i) {
      const int at = (int)((i * 7L) % kCount);
      if (i % 1024 == 0) {
#pragma omp atomic
        ++tried;
      }
      if (at == kPlace * 7) {
#pragma omp atomic write
        found = at;
#pragma omp cancel for
      }
#pragma omp cancellation point for
    }
#pragma omp for schedule(dynamic, 7) reduction(+ : whole)
    for (int i = 0; i < 500; ++i) ++whole;
  }
  EXPECT(found == kPlace * 7, "The search found %d.", found);
  EXPECT(whole == 500, "The loop after the search had %d iterations.", whole);
}

static void of_sections(void) {
  int begun = 0, after = 0;
#pragma omp parallel
  {
#pragma omp sections
    {
#pragma omp section
      {
#pragma omp atomic
        ++begun;
#pragma omp cancel sections
        EXPECT(0, "A cancelled section went on.");
      }
#pragma omp section
      {
        for (;;) {
#pragma omp cancellation point sections
        }
      }
    }
#pragma omp atomic
    ++after;
  }
  EXPECT(begun == 1, "The section began %d times.", begun);
  EXPECT(after == omp_get_max_threads(), "%d threads left the cancelled sections.", after);
}

static void only_if(void) {
  int ended = 0, rounds = 0;
  for (int wanted = 0; wanted < 2; ++wanted) {
    ended = rounds = 0;
#pragma omp parallel
    {
#pragma omp for
      for (int i = 0; i < 64; ++i) {
#pragma omp cancel for if (wanted)
#pragma omp atomic
        ++rounds;
      }
#pragma omp cancel parallel if (wanted)
#pragma omp barrier
#pragma omp atomic
      ++ended;
    }
    EXPECT(wanted ? rounds == 0 : rounds == 64, "With if(%d), %d iterations ran.", wanted, rounds);
    EXPECT(ended == (wanted ? 0 : omp_get_max_threads()), "With if(%d), %d threads ended.", wanted,
           ended);
  }
}

// An inner region is cancelled by itself.
static void of_a_nested_region(void) {
  int outer = 0, inner = 0;
  omp_set_max_active_levels(2);
#pragma omp parallel
  {
#pragma omp parallel num_threads(2)
    {
      if (omp_get_thread_num() == 0) {
#pragma omp cancel parallel
      }
#pragma omp barrier
#pragma omp cancellation point parallel
#pragma omp atomic
      ++inner;
    }
#pragma omp atomic
    ++outer;
#pragma omp barrier
  }
  EXPECT(inner == 0, "%d threads went on in cancelled inner regions.", inner);
  EXPECT(outer == omp_get_max_threads(), "%d threads of the outer region went on.", outer);
}

int main(void) {
  EXPECT(omp_get_cancellation(), "Cancellation is off.");
  for (int round = 0; round < 10; ++round) of_a_parallel_region(round);
  for (int round = 0; round < 5; ++round) {
    noticed_at_cancellation_points();
    of_a_loop();
    of_sections();
  }
  search(omp_sched_static, 0);
  search(omp_sched_static, 100);
  search(omp_sched_dynamic, 1000);
  search(omp_sched_guided, 100);
  only_if();
  of_a_nested_region();
  return ok();
}
