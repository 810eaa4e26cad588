// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where reductions may stand: on sections, without a wait, one after the other, before more work of
// the region, in functions that are called from it, with simd, and in regions of some threads.

#include <omp.h>

#include "../check.h"

enum { kCount = 1000 };
static const long kSum = (long)kCount * (kCount - 1) / 2;

static void on_sections(void) {
  int sum = 0;
  double product = 1;
#pragma omp parallel sections reduction(+ : sum) reduction(* : product)
  {
#pragma omp section
    sum += 1, product *= 2;
#pragma omp section
    sum += 10, product *= 3;
#pragma omp section
    sum += 100, product *= 5;
  }
  EXPECT(sum == 111 && product == 30, "Sections gave %d and %g.", sum, product);
}

static void without_a_wait(void) {
  long first = 0, second = 0, third = 5;
  static long seen[1024];
#pragma omp parallel
  {
#pragma omp for reduction(+ : first) nowait
    for (int i = 0; i < kCount; ++i) first += i;
#pragma omp for reduction(+ : second) nowait schedule(dynamic, 7)
    for (int i = 0; i < kCount; ++i) second += 2 * i;
#pragma omp barrier
    seen[omp_get_thread_num()] = first + second;
#pragma omp barrier
    // The region's end follows the work behind this one, not the reduction itself.
#pragma omp for reduction(+ : third) nowait
    for (int i = 0; i < kCount; ++i) third += i;
    seen[omp_get_thread_num()] += 1;
  }
  for (int t = 0; t < omp_get_max_threads(); ++t)
    EXPECT(seen[t] == 3 * kSum + 1, "Thread %d saw %ld.", t, seen[t]);
  EXPECT(third == kSum + 5, "The third sum is %ld.", third);
}

// The last reduction of a region, with and without anything behind it.
static void at_the_end(void) {
  long sum = 0, again = 0;
  static int behind[1024];
#pragma omp parallel reduction(+ : sum)
  {
    sum += omp_get_thread_num() + 1;
  }
  const long threads = omp_get_max_threads();
  EXPECT(sum == threads * (threads + 1) / 2, "The threads' sum is %ld.", sum);
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
#pragma omp for reduction(+ : again) nowait
    for (int i = 0; i < kCount; ++i) again += i;
    behind[me] = me + 1;
  }
  EXPECT(again == kSum, "The sum before more work is %ld.", again);
  for (int t = 0; t < threads; ++t) EXPECT(behind[t] == t + 1, "Thread %d left %d.", t, behind[t]);
}

static long shared_sum;

static void called_from_a_region(int n) {
#pragma omp for reduction(+ : shared_sum) nowait
  for (int i = 0; i < n; ++i) shared_sum += i;
}

static void in_functions(void) {
  shared_sum = 0;
#pragma omp parallel
  {
    called_from_a_region(kCount);
    called_from_a_region(kCount);
  }
  EXPECT(shared_sum == 2 * kSum, "The functions' sum is %ld.", shared_sum);
}

static void with_simd(void) {
  static float values[kCount];
  float sum = 0, least = 1e9f;
  for (int i = 0; i < kCount; ++i) values[i] = (float)(i % 64) + 1;
#pragma omp parallel for simd reduction(+ : sum) reduction(min : least)
  for (int i = 0; i < kCount; ++i) {
    sum += values[i];
    least = values[i] < least ? values[i] : least;
  }
  float expected = 0;
  for (int i = 0; i < kCount; ++i) expected += values[i];
  EXPECT(sum == expected && least == 1, "With simd, %g and %g.", sum, least);
}

static void in_small_teams(void) {
  for (int threads = 1; threads <= omp_get_max_threads(); ++threads) {
    long sum = 0, waited = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
    {
      sum += 1;
#pragma omp for reduction(+ : waited)
      for (int i = 0; i < kCount; ++i) waited += i;
      sum += waited == kSum ? 10 : 0;
#pragma omp barrier
    }
    EXPECT(sum == 11L * threads, "%d threads made %ld.", threads, sum);
  }
}

int main(void) {
  for (int round = 0; round < 3; ++round) {
    on_sections();
    without_a_wait();
    at_the_end();
    in_functions();
    with_simd();
    in_small_teams();
  }
  return ok();
}
