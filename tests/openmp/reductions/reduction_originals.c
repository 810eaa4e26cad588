// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one thread stores, in any way, to what a reduction adds to, just before it comes to the
// reduction and with no barrier between: the reduction adds to that, as libomp's threads add to the
// variable itself.

#include <omp.h>

#include "../check.h"

enum { kTurns = 30, kItems = 64, kTotal = kItems * (kItems - 1) / 2, kArray = 700 };

typedef struct State {
  int padding;
  double energy;
} State;

static double sum;
static long array[kArray];
static State state;
static omp_lock_t lock;
static int told[1024] __attribute__((aligned(4096)));

// Nobody adds before it has been stored: libomp forgives no more. Relaxed, so it is no flush.
static void tell(int turn) {
#pragma omp atomic write relaxed
  told[0] = turn;
}

static void wait_until_told(int turn) {
  int now;
  do {
#pragma omp atomic read relaxed
    now = told[0];
  } while (now != turn);
}

// The compiler does not see what it is.
__attribute__((noinline)) static void set(double* what, double value) { *what = value; }

static int wrong_in(double found, int turn) { return found != turn + kTotal; }

#define DO(text) _Pragma(#text)

// In each turn `store` is done, for one of them by the thread k; then all reduce.
#define AFTER(name, store)                                                             \
  static void name(void) {                                                             \
    const int size = omp_get_max_threads();                                            \
    int wrong = 0;                                                                     \
    _Pragma("omp parallel") for (int turn = 1; turn <= kTurns; ++turn) {               \
      const int me = omp_get_thread_num(), k = turn % size;                            \
      (void)me;                                                                        \
      (void)k;                                                                         \
      store wait_until_told(turn);                                                     \
      _Pragma("omp for reduction(+ : sum)") for (int i = 0; i < kItems; ++i) sum += i; \
      if (wrong_in(sum, turn)) {                                                       \
        _Pragma("omp atomic") wrong++;                                                 \
      }                                                                                \
      _Pragma("omp barrier")                                                           \
    }                                                                                  \
    EXPECT(wrong == 0, #name ": %d times the sum is wrong.", wrong);                   \
  }

AFTER(
    by_number, if (me == k) {
      sum = turn;
      tell(turn);
    })
AFTER(
    in_critical, DO(omp critical) if (me == k) {
      sum = turn;
      tell(turn);
    })
AFTER(
    under_lock, if (me == k) {
      omp_set_lock(&lock);
      sum = turn;
      tell(turn);
      omp_unset_lock(&lock);
    })
AFTER(
    by_atomic, if (me == k) {
      DO(omp atomic write) sum = turn;
      tell(turn);
    })
AFTER(
    in_function, if (me == k) {
      set(&sum, turn);
      tell(turn);
    })
AFTER(
    in_master, DO(omp master) {
      sum = turn;
      tell(turn);
    })
AFTER(
    in_masked, DO(omp masked filter(k)) {
      sum = turn;
      tell(turn);
    })
AFTER(
    in_sections, DO(omp sections nowait) {
      DO(omp section);
      DO(omp section);
      DO(omp section) {
        sum = turn;
        tell(turn);
      }
    })
AFTER(
    in_single, DO(omp single nowait) {
      sum = turn;
      tell(turn);
    })
AFTER(
    in_task, if (me == k) {
      DO(omp task if (0)) sum = turn;
      tell(turn);
    })
AFTER(in_loop, DO(omp for schedule(static, 1) nowait) for (int i = 0; i < size; ++i) {
  if (i != turn % size) continue;
  sum = turn;
  tell(turn);
})

// A variable of the region's, an array and a member; the end of the region is the reduction's.
static void others(void) {
  const int size = omp_get_max_threads();
  int wrong = 0;
  double own = 0;
#pragma omp parallel
  for (int turn = 1; turn <= kTurns; ++turn) {
    double* energy = &state.energy;
    if (omp_get_thread_num() == turn % size) {
      own = turn;
      for (int i = 0; i < kArray; ++i) array[i] = turn + i;
      state.energy = turn;
      tell(turn);
    }
    wait_until_told(turn);
#pragma omp for reduction(+ : own, array) reduction(+ : energy[0 : 1])
    for (int i = 0; i < kItems; ++i) {
      own += i;
      array[i] += i;
      energy[0] += i;
    }
    int bad = wrong_in(own, turn) + wrong_in(state.energy, turn);
    for (int i = 0; i < kArray; ++i) bad += array[i] != turn + i + (i < kItems ? i : 0);
    if (bad) {
#pragma omp atomic
      wrong++;
    }
#pragma omp barrier
  }
  EXPECT(wrong == 0, "%d times one of the others is wrong.", wrong);
}

static void at_the_end(void) {
  const int size = omp_get_max_threads();
  for (int turn = 1; turn <= kTurns; ++turn) {
#pragma omp parallel
    {
      if (omp_get_thread_num() == turn % size) {
        sum = turn;
        tell(turn);
      }
      wait_until_told(turn);
#pragma omp for nowait reduction(+ : sum)
      for (int i = 0; i < kItems; ++i) sum += i;
    }
    EXPECT(!wrong_in(sum, turn), "In turn %d the sum is %g.", turn, sum);
  }
}

int main(void) {
  omp_init_lock(&lock);
  by_number();
  in_critical();
  under_lock();
  by_atomic();
  in_function();
  in_master();
  in_masked();
  in_sections();
  in_single();
  in_task();
  in_loop();
  others();
  at_the_end();
  omp_destroy_lock(&lock);
  return ok();
}
