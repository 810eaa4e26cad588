// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Relaxed stores and updates behind a release fence, or a flush, release what was written before
// the fence: to who acquires by a load of the variable alone (C11 7.17.4, OpenMP 5.2 1.4.6).

#include <omp.h>
#include <stdatomic.h>

#include "../check.h"

enum { kRounds = 40, kPage = 4096 };

static _Alignas(kPage) int data[5];
static _Alignas(kPage) atomic_int stored;
static _Alignas(kPage) atomic_int counted;
static _Alignas(kPage) atomic_int twice;
static _Alignas(kPage) int flushed;

// Each round's data are read before they are written, so that the reader has a copy of them.
static void hand_over(int round, int (*is_told)(int round), void (*tell)(int round), int which) {
  int wrong = 0;
#pragma omp parallel reduction(+ : wrong)
  {
    const int last = omp_get_num_threads() - 1;
    if (omp_get_thread_num() == 0) {
      data[which] = round;
      tell(round);
    } else if (omp_get_thread_num() == last) {
      const volatile int before = data[which];
      (void)before;
      while (!is_told(round)) {
      }
      wrong += data[which] != round;
    }
  }
  EXPECT(wrong == 0, "Round %d of way %d: the data are old.", round, which);
}

static void store(int round) {
  atomic_thread_fence(memory_order_release);
  atomic_store_explicit(&stored, round, memory_order_relaxed);
}
static int is_stored(int round) {
  return atomic_load_explicit(&stored, memory_order_acquire) == round;
}

static void count(int round) {
  (void)round;
  atomic_thread_fence(memory_order_release);
  atomic_fetch_add_explicit(&counted, 1, memory_order_relaxed);
}
static int is_counted(int round) {
  return atomic_load_explicit(&counted, memory_order_acquire) == round;
}

// The second fence's data as well, though the home has been told of the first one's.
static void count_twice(int round) {
  atomic_thread_fence(memory_order_release);
  atomic_fetch_add_explicit(&twice, 1, memory_order_relaxed);
  atomic_fetch_add_explicit(&twice, 1, memory_order_relaxed);
  data[4] = round;
  atomic_thread_fence(memory_order_release);
  atomic_fetch_add_explicit(&twice, 1, memory_order_relaxed);
}
static int is_counted_twice(int round) {
  if (atomic_load_explicit(&twice, memory_order_acquire) != 3 * round) return 0;
  EXPECT(data[4] == round, "Round %d: data of the second fence are old.", round);
  return 1;
}

static void flush(int round) {
#pragma omp flush
#pragma omp atomic write
  flushed = round;
}
static int is_flushed(int round) {
  int now;
#pragma omp atomic read acquire
  now = flushed;
  return now == round;
}

int main(void) {
  if (omp_get_max_threads() == 1) return ok();
  for (int round = 1; round <= kRounds; ++round) {
    hand_over(round, is_stored, store, 0);
    hand_over(round, is_counted, count, 1);
    hand_over(round, is_flushed, flush, 2);
    hand_over(round, is_counted_twice, count_twice, 3);
  }
  return ok();
}
