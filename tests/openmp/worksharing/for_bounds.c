// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops of every integer type, rising and falling, with strides, near the ends of their type, and
// with no iterations, under each schedule.

#include <limits.h>
#include <omp.h>
#include <stdint.h>

#include "../check.h"

// Runs a loop in parallel and alone, and compares how often and on what it ran.
#define COMPARE(schedule_clause, type, first, condition, step)                                   \
  do {                                                                                           \
    uint64_t count = 0, sum = 0, expected_count = 0, expected_sum = 0;                           \
    _Pragma(schedule_clause) for (type i = (first); condition; step) {                           \
      count += 1;                                                                                \
      sum += (uint64_t)i * 2654435761u ^ (uint64_t)i;                                            \
    }                                                                                            \
    for (type i = (first); condition; step) {                                                    \
      expected_count += 1;                                                                       \
      expected_sum += (uint64_t)i * 2654435761u ^ (uint64_t)i;                                   \
    }                                                                                            \
    EXPECT(count == expected_count, "for (%s i = %s; %s; %s), %s: %llu iterations, not %llu.",   \
           #type, #first, #condition, #step, schedule_clause, (unsigned long long)count,         \
           (unsigned long long)expected_count);                                                  \
    EXPECT(sum == expected_sum, "for (%s i = %s; %s; %s), %s: wrong iterations.", #type, #first, \
           #condition, #step, schedule_clause);                                                  \
  } while (0)

#define STATIC "omp parallel for schedule(static) reduction(+ : count, sum)"
#define CHUNKS "omp parallel for schedule(static, 3) reduction(+ : count, sum)"
#define DYNAMIC "omp parallel for schedule(dynamic) reduction(+ : count, sum)"
#define GUIDED "omp parallel for schedule(guided, 2) reduction(+ : count, sum)"

#define ALL(type, first, condition, step)           \
  do {                                              \
    COMPARE(STATIC, type, first, condition, step);  \
    COMPARE(CHUNKS, type, first, condition, step);  \
    COMPARE(DYNAMIC, type, first, condition, step); \
    COMPARE(GUIDED, type, first, condition, step);  \
  } while (0)

static void ints(void) {
  ALL(int, 0, i < 0, ++i);
  ALL(int, 5, i < 5, ++i);
  ALL(int, 9, i < 3, ++i);
  ALL(int, 0, i < 1, ++i);
  ALL(int, -20, i <= 20, i += 3);
  ALL(int, 20, i > -20, i -= 7);
  ALL(int, 20, i >= -20, --i);
  ALL(int, INT_MIN, i < INT_MIN + 40, ++i);
  ALL(int, INT_MAX - 40, i < INT_MAX - 1, i += 2);
  ALL(int, 1, i < 100, i += 1000);
  ALL(int, -2000000000, i < 2000000000, i += 100000000);
  ALL(int, 0, i != 30, ++i);
  ALL(short, -50, i < 50, ++i);
  ALL(signed char, 100, i > -100, i -= 9);
}

static void unsigned_ints(void) {
  ALL(unsigned, 0u, i < 50u, ++i);
  ALL(unsigned, 4000000000u, i < 4000000100u, i += 3u);
  ALL(unsigned, 4000000100u, i > 4000000000u, i -= 5u);
  ALL(unsigned, 0u, i < 4000000000u, i += 200000000u);
  ALL(unsigned, 7u, i < 7u, ++i);
  ALL(unsigned char, 3, i < 200, i += 2);
}

static void longs(void) {
  ALL(long, 0L, i < 60L, ++i);
  ALL(long, -5000000000L, i < 5000000000L, i += 500000000L);
  ALL(long, 5000000000L, i >= -5000000000L, i -= 700000000L);
  ALL(long, LONG_MIN, i < LONG_MIN + 50, ++i);
  ALL(long, LONG_MAX - 50, i < LONG_MAX - 1, ++i);
  ALL(unsigned long, 0UL, i < 60UL, ++i);
  ALL(unsigned long, ULONG_MAX - 100, i < ULONG_MAX - 10, i += 4UL);
  ALL(unsigned long, 1UL << 63, i > (1UL << 63) - 90, i -= 4UL);
  ALL(unsigned long, 0UL, i < 16000000000000000000UL, i += 1000000000000000000UL);
  ALL(size_t, 3, i < 3, ++i);
}

static void pointers(void) {
  static double array[200];
#pragma omp parallel for schedule(dynamic, 3)
  for (double* p = array; p < array + 200; p += 2) *p = (double)(p - array);
  for (int i = 0; i < 200; ++i)
    EXPECT(array[i] == (i % 2 ? 0.0 : (double)i), "Element %d is %g.", i, array[i]);
}

int main(void) {
  ints();
  unsigned_ints();
  longs();
  pointers();
  return ok();
}
