// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// User-declared reductions in C: of structs, with initializers, by functions and by expressions.

#include <omp.h>
#include <string.h>

#include "../check.h"

typedef struct {
  double value;
  int place;
} Best;

typedef struct {
  long count[100];
  double sum, sum_of_squares;
  int least, greatest;
} Statistics;

static void better(Best* into, const Best* from) {
  if (from->value > into->value || (from->value == into->value && from->place < into->place))
    *into = *from;
}

static void merge(Statistics* into, const Statistics* from) {
  for (int k = 0; k < 100; ++k) into->count[k] += from->count[k];
  into->sum += from->sum;
  into->sum_of_squares += from->sum_of_squares;
  if (from->least < into->least) into->least = from->least;
  if (from->greatest > into->greatest) into->greatest = from->greatest;
}

static void begin(Statistics* s, const Statistics* original) {
  memset(s, 0, sizeof *s);
  s->least = original->least;
  s->greatest = original->greatest;
}

#pragma omp declare reduction(best:Best : better(&omp_out, &omp_in)) \
    initializer(omp_priv = {-1e300, 1 << 30})
#pragma omp declare reduction(merge:Statistics : merge(&omp_out, &omp_in)) \
    initializer(begin(&omp_priv, &omp_orig))
#pragma omp declare reduction(either:int : omp_out = omp_out ? omp_out : omp_in) \
    initializer(omp_priv = 0)
#pragma omp declare reduction(longest : long, int : omp_out = omp_in > omp_out ? omp_in : omp_out)

int main(void) {
  Best best = {-1e300, 1 << 30};
#pragma omp parallel for reduction(best : best) schedule(dynamic, 3)
  for (int i = 0; i < 500; ++i) {
    const Best here = {(double)((i * 37) % 101), i};
    better(&best, &here);
  }
  int expected_place = -1;
  for (int i = 499; i >= 0; --i)
    if ((i * 37) % 101 == 100) expected_place = i;
  EXPECT(best.value == 100 && best.place == expected_place, "The best is %g at %d, not at %d.",
         best.value, best.place, expected_place);

  Statistics all = {{0}, 0, 0, 1000, -1000};
#pragma omp parallel for reduction(merge : all)
  for (int i = 0; i < 1000; ++i) {
    const int value = (i * 7) % 100;
    all.count[value] += 1;
    all.sum += value;
    all.sum_of_squares += value * value;
    if (value < all.least) all.least = value;
    if (value > all.greatest) all.greatest = value;
  }
  for (int k = 0; k < 100; ++k) EXPECT(all.count[k] == 10, "count[%d] is %ld.", k, all.count[k]);
  EXPECT(all.sum == 49500 && all.sum_of_squares == 3283500 && all.least == 0 && all.greatest == 99,
         "The statistics are %g, %g, %d, %d.", all.sum, all.sum_of_squares, all.least,
         all.greatest);

  int found = 0;
  long longest = 0;
#pragma omp parallel for reduction(either : found) reduction(longest : longest)
  for (int i = 0; i < 300; ++i) {
    if (i == 123) found = 123;
    if ((long)i * (299 - i) > longest) longest = (long)i * (299 - i);
  }
  EXPECT(found == 123 && longest == 149L * 150, "Got %d, %ld.", found, longest);
  return ok();
}
