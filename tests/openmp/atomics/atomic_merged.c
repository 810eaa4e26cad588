// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic updates whose result nobody uses. They may be done late, but never twice, never not at
// all, and never in another order than the same thread's other accesses of the variable.

#include <omp.h>
#include <stdint.h>

#include "../check.h"

enum { kBins = 1500, kUpdates = 6000, kRounds = 5 };

static long histogram[kBins];
static double sums[kBins];
static struct {
  int8_t small[64];
  uint16_t bits[32];
  int least, most;
  unsigned high;
  float ratio;
} mixed;
static long own[256];
static int arrived;

static int bin_of(int i) { return (int)((i * 2654435761u) >> 7) % kBins; }

// Everybody adds everywhere, and all see the sums after each barrier.
static void test_histogram(int threads) {
  static long expected[kBins];
  for (int i = 0; i < kUpdates; ++i) expected[bin_of(i)] += threads;
  for (int round = 1; round <= kRounds; ++round) {
#pragma omp parallel
    {
      for (int i = 0; i < kUpdates; ++i) {
#pragma omp atomic
        histogram[bin_of(i)]++;
#pragma omp atomic
        sums[bin_of(i)] += 0.5;
      }
#pragma omp barrier
      for (int bin = omp_get_thread_num(); bin < kBins; bin += 7) {
        EXPECT(histogram[bin] == round * expected[bin], "Round %d, bin %d: %ld, not %ld.", round,
               bin, histogram[bin], round * expected[bin]);
        EXPECT(sums[bin] == 0.5 * round * expected[bin], "Round %d, bin %d: %g.", round, bin,
               sums[bin]);
      }
    }
  }
}

static void test_operations(int threads) {
  mixed.least = 1 << 30;
  mixed.ratio = 1;
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    for (int i = 0; i < 100; ++i) {
#pragma omp atomic
      mixed.small[i % 64] -= 1;
#pragma omp atomic
      mixed.bits[i % 32] |= (uint16_t)(1u << (me % 16));
#pragma omp atomic
      mixed.bits[i % 32] ^= 0;
#pragma omp atomic compare
      if (me - i < mixed.least) mixed.least = me - i;
#pragma omp atomic compare
      if (me + i > mixed.most) mixed.most = me + i;
#pragma omp atomic
      mixed.high += 3u;
#pragma omp atomic
      mixed.ratio -= 0.25f;
    }
  }
  EXPECT(mixed.small[0] == (int8_t)(-2 * threads) && mixed.small[63] == (int8_t)-threads,
         "Subtracted: %d, %d.", mixed.small[0], mixed.small[63]);
  const unsigned all = threads >= 16 ? 0xffff : (1u << threads) - 1;
  EXPECT(mixed.bits[31] == all, "The bits are %x, not %x.", mixed.bits[31], all);
  EXPECT(mixed.least == -99 && mixed.most == threads - 1 + 99, "%d to %d.", mixed.least,
         mixed.most);
  EXPECT(mixed.high == 300u * (unsigned)threads, "%u.", mixed.high);
  EXPECT(mixed.ratio == 1 - 25.0f * (float)threads, "%g.", mixed.ratio);
}

// A thread's own variables on a page that all share: it sees its updates at once, and what it
// stores plainly lies between them.
static void test_order(void) {
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    long* mine = &own[me];
    for (int i = 1; i <= 200; ++i) {
#pragma omp atomic
      *mine += i;
      EXPECT(*mine == 10 * (i - 1) + i, "Thread %d sees %ld after its update %d.", me, *mine, i);
      *mine = 10 * i;
      if (i % 50 == 0) {
#pragma omp critical
        EXPECT(*mine == 10 * i, "Thread %d sees %ld, it stored %d.", me, *mine, 10 * i);
      }
    }
#pragma omp barrier
    const int other = (me + 1) % omp_get_num_threads();
    EXPECT(own[other] == 2000, "Thread %d sees %ld of thread %d's.", me, own[other], other);
  }
}

// Somebody counts on them though nobody releases anything: they come in the end.
static void test_waiting(int threads) {
#pragma omp parallel
  {
#pragma omp atomic
    arrived += 1;
    if (omp_get_thread_num() == 0) {
      for (int seen = 0; seen < threads;) {
#pragma omp atomic read
        seen = arrived;
      }
    } else {
      // Waits for thread 0, without a release of its own.
      for (int seen = 0; seen < threads;) {
#pragma omp atomic read
        seen = arrived;
      }
    }
  }
}

// What is added inside a critical section is there for the next who enters.
static void test_locks(int threads) {
  static long inside;
  long wrong = 0;
#pragma omp parallel reduction(+ : wrong)
  for (int i = 0; i < 20; ++i) {
#pragma omp critical
    {
      const long before = inside;
#pragma omp atomic
      inside += 2;
      wrong += inside != before + 2;
    }
  }
  EXPECT(wrong == 0 && inside == 40L * threads, "%ld wrong, %ld inside.", wrong, inside);
}

int main(void) {
  const int threads = omp_get_max_threads();
  test_histogram(threads);
  test_operations(threads);
  test_order();
  test_waiting(threads);
  test_locks(threads);
  return ok();
}
