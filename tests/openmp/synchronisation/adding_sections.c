// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections that only add, under locks and critical, among others of the same locks: no sum is lost,
// none is read too old, and terms that change under the lock are read as they are.

#include <omp.h>
#include <string.h>

#include "../check.h"

enum { kPoints = 64, kTurns = 40, kRounds = 6 };

static omp_lock_t locks[kPoints];
static double points[kPoints], weights[kPoints];
static long counts[kPoints];
static double share[2][kPoints];

static double total;
static long parts;
static long step = 1, stepped;

static void add_to(int at, double term) {
  omp_set_lock(&locks[at]);
  points[at] += term;
  omp_unset_lock(&locks[at]);
}

static void add_both(int at, const double* term) {
  omp_set_lock(&locks[at]);
  weights[at] += *term * 0.5;
  counts[at] -= 3;
  omp_unset_lock(&locks[at]);
}

static void add_step(void) {
#pragma omp critical(steps)
  stepped += step;
}

static void add_share(double mine) {
#pragma omp critical
  {
    total += mine;
    parts += 1;
  }
}

// Every thread adds to every point.
static void add_everywhere(int threads) {
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    for (int turn = 0; turn < kTurns; ++turn) {
      for (int at = 0; at < kPoints; ++at) add_to(at, 1 + me % 2);
    }
  }
  const double each = kTurns * (threads + threads / 2);
  for (int at = 0; at < kPoints; ++at) {
    EXPECT(points[at] == each, "point %d is %g, not %g", at, points[at], each);
    points[at] = 0;
  }
}

// One thread reads and clears under the lock what all add to.
static void collect(int threads) {
  double collected = 0;
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    for (int turn = 0; turn < kTurns; ++turn) {
      for (int at = 0; at < 4; ++at) add_to(at, 1);
      if (me != threads - 1 || turn % 8 != 7) continue;
      for (int at = 0; at < 4; ++at) {
        omp_set_lock(&locks[at]);
        collected += points[at];
        points[at] = 0;
        omp_unset_lock(&locks[at]);
      }
    }
  }
  for (int at = 0; at < 4; ++at) {
    collected += points[at];
    points[at] = 0;
  }
  EXPECT(collected == 4.0 * kTurns * threads, "%g are collected", collected);
}

// Two sums a section, with terms that change from phase to phase, and are read by all.
static void add_in_phases(int threads) {
  for (int at = 0; at < kPoints; ++at) weights[at] = counts[at] = 0;
#pragma omp parallel
  for (int round = 0; round < kRounds; ++round) {
#pragma omp for
    for (int at = 0; at < kPoints; ++at) share[round % 2][at] = 2 * (round + at);
    for (int at = 0; at < kPoints; ++at) add_both(at, &share[round % 2][at]);
#pragma omp barrier
    for (int at = 0; at < kPoints; ++at) {
      const double expected = threads * (at * (round + 1) + round * (round + 1) / 2.0);
      EXPECT(weights[at] == expected, "round %d, weight %d is %g, not %g", round, at, weights[at],
             expected);
      EXPECT(counts[at] == -3L * threads * (round + 1), "count %d is %ld", at, counts[at]);
    }
#pragma omp barrier
  }
}

// The term is written under the same lock.
static void add_steps(int threads) {
  long expected = 0;
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    for (int turn = 0; turn < kTurns; ++turn) {
      add_step();
      if (me != 0) continue;
#pragma omp critical(steps)
      {
        // From here on each adds one more.
        expected += stepped;
        stepped = 0;
        step = turn + 2;
      }
      add_step();
#pragma omp critical(steps)
      {
        EXPECT(stepped % step == 0 && stepped >= step, "%ld with steps of %ld", stepped, step);
        expected += stepped;
        stepped = 0;
      }
    }
  }
  expected += stepped;
  EXPECT(expected >= threads * kTurns, "%ld steps", expected);
  stepped = 0;
}

// A flag in no order tells that the section before it has been.
static void tell(int threads) {
  static int flag;
  static double told[4096];
  flag = 0;
  memset(told, 0, sizeof told);
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    for (int turn = 1; turn <= kTurns; ++turn) {
      add_to(5, 1);
      if (me == 0) {
        told[2000] = turn;
        add_to(5, 1);
#pragma omp atomic write relaxed
        flag = turn;
      } else if (me == threads - 1) {
        int seen = 0;
        while (seen < turn) {
#pragma omp atomic read relaxed
          seen = flag;
        }
        omp_set_lock(&locks[5]);
        points[5] += told[2000];
        omp_unset_lock(&locks[5]);
      }
#pragma omp barrier
    }
  }
  const double last = threads > 1 ? kTurns * (kTurns + 1) / 2.0 : 0;
  const double expected = threads * kTurns + kTurns + last;
  EXPECT(points[5] == expected, "told: %g, not %g", points[5], expected);
  points[5] = 0;
}

int main(void) {
  for (int at = 0; at < kPoints; ++at) omp_init_lock(&locks[at]);
  int threads = 1;
#pragma omp parallel
  {
#pragma omp single
    threads = omp_get_num_threads();
  }
  for (int round = 0; round < 3; ++round) {
    add_everywhere(threads);
    collect(threads);
    add_in_phases(threads);
    add_steps(threads);
    tell(threads);
    total = parts = 0;
#pragma omp parallel
    for (int turn = 0; turn < kTurns; ++turn) add_share(0.25);
    EXPECT(total == 0.25 * kTurns * threads, "the total is %g", total);
    EXPECT(parts == kTurns * threads, "%ld parts", parts);
    for (int at = 0; at < kPoints; ++at) {
      omp_destroy_lock(&locks[at]);
      omp_init_lock(&locks[at]);
    }
  }
  return ok();
}
