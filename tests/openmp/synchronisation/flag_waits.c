// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that wait for flags in loops which do nothing but look: atomic with a flush, of C11, and
// two flags at once. The turn goes round, and each thread finds what all before it have written.
// A loop that has something else to do goes on doing it.

#include <omp.h>
#include <stdatomic.h>

#include "../check.h"

enum { kRounds = 60, kWords = 600 };

static int turn, other_turn;
static _Atomic int ready;
static long data[kWords];

static void await_flushed(int round) {
  int seen;
  do {
#pragma omp flush
#pragma omp atomic read
    seen = turn;
  } while (seen < round);
#pragma omp flush
}

static void await_acquiring(int round) {
  while (atomic_load_explicit(&ready, memory_order_acquire) < round) {
  }
}

static void await_either(int round) {
  while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) < round &&
         __atomic_load_n(&other_turn, __ATOMIC_ACQUIRE) < round) {
  }
}

static void tell_flushed(int round) {
#pragma omp flush
#pragma omp atomic write
  turn = round;
}

static void tell_released(int round) { atomic_store_explicit(&ready, round, memory_order_release); }

static void tell_one(int round) {
  __atomic_store_n(round % 2 == 0 ? &turn : &other_turn, round, __ATOMIC_RELEASE);
}

static void around(void (*await)(int), void (*tell)(int)) {
  turn = other_turn = 0;
  atomic_store(&ready, 0);
  for (int i = 0; i < kWords; ++i) data[i] = 0;
#pragma omp parallel
  {
    const int size = omp_get_num_threads();
    for (int round = omp_get_thread_num(); round < kRounds; round += size) {
      await(round);
      for (int i = 0; i < kWords; ++i) data[i] += round + i;
      tell(round + 1);
    }
  }
  const long rounds = kRounds * (kRounds - 1) / 2;
  for (int i = 0; i < kWords; ++i)
    EXPECT(data[i] == rounds + (long)kRounds * i, "Word %d is %ld.", i, data[i]);
}

// It counts until it is told to stop.
static void counts_meanwhile(void) {
  int stop = 0, counted = 0;
#pragma omp parallel num_threads(2) shared(stop, counted)
  {
    if (omp_get_num_threads() == 2 && omp_get_thread_num() == 1) {
      int count = 0;
      do ++count;
      while (__atomic_load_n(&stop, __ATOMIC_ACQUIRE) == 0);
      counted = count;
    } else {
      __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
    }
  }
  EXPECT(counted >= 0, "It counted to %d.", counted);
}

int main(void) {
  around(await_flushed, tell_flushed);
  around(await_acquiring, tell_released);
  around(await_either, tell_one);
  counts_meanwhile();
  return ok();
}
