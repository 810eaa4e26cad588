// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A `single nowait` sets what a later reduction of the same stretch between two barriers adds to,
// as NPB's CG does: whichever thread executes it, the reduction adds to what it has set. Each turn
// goes on from what the last one left. On one node libomp reduces, which may lose what the single
// sets.
// least_nodes: 2

#include <omp.h>
#include <stdint.h>

#include "../check.h"

enum { kTurns = 200, kItems = 64, kArray = 700 };

typedef struct Pair {
  long sum, most;
} Pair;

static void combine(Pair* left, const Pair* right) {
  left->sum += right->sum;
  if (right->most > left->most) left->most = right->most;
}
#pragma omp declare reduction(pair:Pair : combine(&omp_out, &omp_in)) \
    initializer(omp_priv = (Pair){0, INT64_MIN})

static double d, rho, rho0;
static long sum, least, most, array[kArray];
static unsigned long product;
static Pair both;
static double q[kItems];

// The two reductions of a turn of the conjugate gradient method.
static void two_sums(void) {
  rho = 1;
  int wrong = 0;
#pragma omp parallel
  for (int turn = 0; turn < kTurns; ++turn) {
#pragma omp single nowait
    {
      d = 0;
      rho0 = rho;
      rho = 0;
    }
#pragma omp for nowait
    for (int i = 0; i < kItems; ++i) q[i] = turn + i;
#pragma omp for reduction(+ : d)
    for (int i = 0; i < kItems; ++i) d += i;
    const double seen = d, before = rho0;
#pragma omp for reduction(+ : rho)
    for (int i = 0; i < kItems; ++i) rho += turn + 1;
    const double after = rho;
    if (seen != kItems * (kItems - 1) / 2 || after != (turn + 1) * kItems ||
        before != (turn == 0 ? 1 : turn * kItems)) {
#pragma omp critical
      wrong++;
    }
#pragma omp barrier
  }
  EXPECT(wrong == 0, "%d times a sum was wrong.", wrong);
}

// Every kind of item, and an end of the turn without a wait.
static void all_kinds(int first_turn) {
  int wrong = 0;
#pragma omp parallel
  for (int turn = first_turn; turn < first_turn + kTurns; ++turn) {
#pragma omp single nowait
    {
      sum = turn;
      product = 3;
      least = 1000 - turn;
      most = turn;
      both = (Pair){turn, turn};
      for (int i = 0; i < kArray; ++i) array[i] = turn + i;
    }
    // clang-format off
#pragma omp for nowait reduction(+ : sum, array) reduction(* : product) reduction(min : least) reduction(max : most) reduction(pair : both)
    // clang-format on
    for (int i = 0; i < kItems; ++i) {
      sum += i;
      product *= i % 2 == 0 ? 5 : 1;
      if (turn + i < least) least = turn + i;
      if (i * 4 > most) most = i * 4;
      combine(&both, &(Pair){i, i * 4});
      array[i] += i;
      array[kArray - 1 - i] += 1;
    }
#pragma omp barrier
    unsigned long power = 3;
    for (int i = 0; i < kItems; i += 2) power *= 5;
    const long items = kItems * (kItems - 1) / 2, top = (kItems - 1) * 4;
    int bad = sum != turn + items || product != power;
    bad |= least != (turn < 1000 - turn ? turn : 1000 - turn);
    bad |= most != (turn > top ? turn : top) || both.sum != turn + items || both.most != most;
    for (int i = 0; i < kArray; ++i) {
      const long more = (i < kItems ? i : 0) + (i >= kArray - kItems ? 1 : 0);
      bad |= array[i] != turn + i + more;
    }
    if (bad) {
#pragma omp critical
      wrong++;
    }
#pragma omp barrier
  }
  EXPECT(wrong == 0, "%d times something was wrong.", wrong);
}

// The last reduction of a region ends with it.
static void at_the_end(void) {
  for (int turn = 0; turn < kTurns; ++turn) {
    long own = -1;
#pragma omp parallel reduction(+ : own)
    {
#pragma omp single nowait
      sum = turn;
      own += 1;
    }
#pragma omp parallel
    {
#pragma omp single nowait
      sum = turn;
#pragma omp for nowait reduction(+ : sum)
      for (int i = 0; i < kItems; ++i) sum += i;
    }
    EXPECT(sum == turn + kItems * (kItems - 1) / 2, "In turn %d the sum is %ld.", turn, sum);
    EXPECT(own >= 0, "In turn %d %ld threads.", turn, own);
  }
}

// Also if tasks take part, and if the thread is a certain one.
static void with_tasks(void) {
  int wrong = 0;
#pragma omp parallel
  for (int turn = 0; turn < kTurns; ++turn) {
#pragma omp masked filter(turn % omp_get_num_threads())
    sum = turn;
#pragma omp for reduction(task, + : sum)
    for (int i = 0; i < kItems; ++i) {
#pragma omp task in_reduction(+ : sum)
      sum += i;
    }
    if (sum != turn + kItems * (kItems - 1) / 2) {
#pragma omp critical
      wrong++;
    }
#pragma omp barrier
  }
  EXPECT(wrong == 0, "With tasks %d times the sum was wrong.", wrong);
}

int main(void) {
  two_sums();
  all_kinds(0);
  all_kinds(kTurns);
  at_the_end();
  with_tasks();
  return ok();
}
