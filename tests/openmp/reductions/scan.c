// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inclusive and exclusive scans, of several variables, with user-declared operators, and with simd.

#include <omp.h>

#include "../check.h"

enum { kCount = 2000 };
static long values[kCount], prefixes[kCount];
static double largest[kCount];

static void inclusive(void) {
  long sum = 0;
#pragma omp parallel for reduction(inscan, + : sum)
  for (int i = 0; i < kCount; ++i) {
    sum += values[i];
#pragma omp scan inclusive(sum)
    prefixes[i] = sum;
  }
  long expected = 0;
  for (int i = 0; i < kCount; ++i) {
    expected += values[i];
    EXPECT(prefixes[i] == expected, "Inclusive prefix %d is %ld, not %ld.", i, prefixes[i],
           expected);
  }
  EXPECT(sum == expected, "The sum is %ld.", sum);
}

static void exclusive(void) {
  long sum = 0;
#pragma omp parallel for reduction(inscan, + : sum)
  for (int i = 0; i < kCount; ++i) {
    prefixes[i] = sum;
#pragma omp scan exclusive(sum)
    sum += values[i];
  }
  long expected = 0;
  for (int i = 0; i < kCount; ++i) {
    EXPECT(prefixes[i] == expected, "Exclusive prefix %d is %ld, not %ld.", i, prefixes[i],
           expected);
    expected += values[i];
  }
  EXPECT(sum == expected, "The sum is %ld.", sum);
}

typedef struct {
  long least, place;
} Least;

static Least lesser(Least a, Least b) {
  return a.least < b.least || (a.least == b.least && a.place < b.place) ? a : b;
}

#pragma omp declare reduction(least:Least : omp_out = lesser(omp_in, omp_out)) \
    initializer(omp_priv = {1L << 40, 1L << 40})

static void of_two_variables(void) {
  double most = -1;
  Least least = {1L << 40, 1L << 40};
  static Least leasts[kCount];
#pragma omp parallel for reduction(inscan, max : most) reduction(inscan, least : least)
  for (int i = 0; i < kCount; ++i) {
    const double here = (double)(values[i] * 7919 % 1009);
    most = here > most ? here : most;
    least = lesser(least, (Least){values[i], i});
#pragma omp scan inclusive(most, least)
    largest[i] = most;
    leasts[i] = least;
  }
  double expected = -1;
  for (int i = 0, place = 0; i < kCount; ++i) {
    const double here = (double)(values[i] * 7919 % 1009);
    expected = here > expected ? here : expected;
    if (values[i] < values[place]) place = i;
    EXPECT(largest[i] == expected, "The largest up to %d is %g.", i, largest[i]);
    EXPECT(leasts[i].place == place, "The least up to %d is at %ld.", i, leasts[i].place);
  }
}

static void with_simd(void) {
  long sum = 0;
#pragma omp parallel for simd reduction(inscan, + : sum)
  for (int i = 0; i < kCount; ++i) {
    sum += values[i];
#pragma omp scan inclusive(sum)
    prefixes[i] = sum;
  }
  long expected = 0;
  for (int i = 0; i < kCount; ++i) {
    expected += values[i];
    EXPECT(prefixes[i] == expected, "With simd, prefix %d is %ld.", i, prefixes[i]);
  }
}

int main(void) {
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < kCount; ++i) values[i] = (i * 31 + round) % 97;
    inclusive();
    exclusive();
    of_two_variables();
    with_simd();
  }
  return ok();
}
