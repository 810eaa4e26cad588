// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions combine in the order of the threads, whichever of them is late; and so sums of
// floating point numbers are alike, bit for bit, in every repetition.

#include <omp.h>
#include <string.h>

#include "check.h"

struct List {
  int length;
  int threads[60];
};

static void append(struct List* to, const struct List* from) {
  for (int i = 0; i < from->length; ++i) to->threads[to->length++] = from->threads[i];
}

#pragma omp declare reduction(append : struct List : append(&omp_out, &omp_in)) \
    initializer(omp_priv = (struct List){0})

static void expect_all_in_order(const struct List* list, int threads) {
  EXPECT(list->length == threads, "%d entries of %d threads.", list->length, threads);
  for (int i = 0; i < threads; ++i) {
    EXPECT(list->threads[i] == i, "At place %d is thread %d.", i, list->threads[i]);
  }
}

// The late thread comes when all others are about to reduce; they count themselves in `others`.
static void come(int me, int late, int* others) {
  if (me != late) {
#pragma omp atomic
    ++*others;
    return;
  }
  for (int seen = 0; seen < omp_get_num_threads() - 1;) {
#pragma omp atomic read
    seen = *others;
  }
}

static void lists(int late) {
  struct List list = {0}, second = {0};
  int threads = 0, others = 0, others_again = 0;
#pragma omp parallel reduction(append : list)
  {
    const int me = omp_get_thread_num();
    come(me, late, &others);
    list.threads[list.length++] = me;
#pragma omp single
    threads = omp_get_num_threads();
    // Again within the region, with a barrier at its end.
#pragma omp for reduction(append : second) schedule(static)
    for (int i = 0; i < omp_get_num_threads(); ++i) {
      come(me, late, &others_again);
      second.threads[second.length++] = me;
    }
    expect_all_in_order(&second, omp_get_num_threads());
  }
  expect_all_in_order(&list, threads);
}

static double sum_of_parts(void) {
  double sum = 0.1;
#pragma omp parallel for reduction(+ : sum) schedule(static)
  for (int i = 1; i < 5000; ++i) sum += 1.0 / i;
  return sum;
}

int main(void) {
  for (int late = 0; late < omp_get_max_threads(); ++late) lists(late);
  const double first = sum_of_parts();
  for (int i = 0; i < 20; ++i) {
    const double again = sum_of_parts();
    EXPECT(memcmp(&first, &again, sizeof first) == 0, "%.17g and then %.17g.", first, again);
  }
  return ok();
}
