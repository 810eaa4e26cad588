// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic operations and flushes in regions that run now on all nodes, now inside node 0, in the
// serial part between them, and by a thread of the program's own that outlives the regions: on the
// same variables, whoever does them at once and whoever goes to their homes.
//
// environment: WEFT_SPREAD=random

#include <omp.h>
#include <pthread.h>
#include <string.h>

#include "../check.h"

enum { kRounds = 60, kTimes = 16, kPages = 4, kPageLongs = 512 };

struct Odd {
  char bytes[5];
};

// Some of each are at home on other nodes, as their threads write there first.
static struct {
  long result, unseen, list;
  double sum;
  long others[kPageLongs - 4];
} pages[kPages] __attribute__((aligned(4096)));
static long own;
static int turn, data, flags_seen;
static volatile int ready;
static _Atomic struct Odd odd;

static void count_in_odd(void) {
  struct Odd now = odd, next;
  do {
    next = now;
    for (int i = 0; i < 5 && ++next.bytes[i] == 0; ++i) continue;
  } while (!__c11_atomic_compare_exchange_strong(&odd, &now, next, __ATOMIC_SEQ_CST,
                                                 __ATOMIC_SEQ_CST));
}

static long value_of_odd(void) {
  const struct Odd now = odd;
  long value = 0;
  for (int i = 4; i >= 0; --i) value = value << 8 | (unsigned char)now.bytes[i];
  return value;
}

// Inlined, so that a function that operates again and again asks once where threads are.
static inline __attribute__((always_inline)) void operate(void) {
  for (int i = 0; i < kTimes; ++i) {
    const int at = i % kPages;
    (void)__atomic_fetch_add(&pages[at].result, 1, __ATOMIC_SEQ_CST);
    __atomic_fetch_add(&pages[at].unseen, 1, __ATOMIC_RELAXED);
#pragma omp atomic
    pages[at].sum += 0.5;
    long seen = __atomic_load_n(&pages[at].list, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&pages[at].list, &seen, seen + 1, 0, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED))
      continue;
  }
  count_in_odd();
}

// Threads in turn, by a flag and flushes; and one volatile flag for all.
static void take_turns(int threads) {
  turn = data = ready = 0;
  int wrong = 0;
#pragma omp parallel reduction(+ : wrong)
  {
    const int me = omp_get_thread_num();
    int now;
    do {
#pragma omp atomic read
      now = turn;
    } while (now != me);
#pragma omp flush
    wrong += data != 7 * me;
    data = 7 * (me + 1);
#pragma omp flush
#pragma omp atomic write
    turn = me + 1;
    if (me == threads - 1) ready = 1;
    while (ready == 0) continue;
    wrong += data != 7 * threads;
  }
  EXPECT(wrong == 0, "%d threads saw something else.", wrong);
  flags_seen += threads;
}

static int ends;

// Beside the regions, from inside one of them to a later one.
static void* beside(void* unused) {
  do {
    operate();
    __atomic_fetch_add(&own, 1, __ATOMIC_RELAXED);
  } while (__atomic_load_n(&ends, __ATOMIC_ACQUIRE) == 0);
  return unused;
}

static void begin_beside(pthread_t* thread) {
  const long before = __atomic_load_n(&own, __ATOMIC_RELAXED);
  __atomic_store_n(&ends, 0, __ATOMIC_RELEASE);
  EXPECT(pthread_create(thread, NULL, beside, NULL) == 0, "There is no thread.");
  while (__atomic_load_n(&own, __ATOMIC_RELAXED) == before) continue;  // the region goes on until it runs
}

static void end_beside(pthread_t thread) {
  __atomic_store_n(&ends, 1, __ATOMIC_RELEASE);
  EXPECT(pthread_join(thread, NULL) == 0, "The thread is lost.");
}

static void touch_pages(int threads) {
#pragma omp parallel
  for (int i = 0; i < kPages; ++i) {
    if ((i + 1) % threads == omp_get_thread_num()) memset(pages[i].others, 1, sizeof pages[i].others);
  }
}

int main(void) {
  const int threads = omp_get_max_threads();
  pthread_t thread;
  for (int i = 0; i < 4; ++i) touch_pages(threads);
  for (int round = 0; round < kRounds; ++round) {
#pragma omp parallel
    {
      operate();
      if (round % 5 == 1) {
#pragma omp masked
        begin_beside(&thread);
      }
      operate();
    }
    operate();
    take_turns(threads);
    if (round % 5 == 3) end_beside(thread);
  }
  const long operated = (long)kRounds * (2 * threads + 1) + own;
  const long expected = operated * kTimes / kPages;
  EXPECT(own > 0, "The threads beside the regions did nothing.");
  for (int i = 0; i < kPages; ++i) {
    EXPECT(pages[i].result == expected, "%ld results, not %ld.", pages[i].result, expected);
    EXPECT(pages[i].unseen == expected, "%ld updates, not %ld.", pages[i].unseen, expected);
    EXPECT(pages[i].list == expected, "%ld exchanges, not %ld.", pages[i].list, expected);
    EXPECT(pages[i].sum == 0.5 * (double)expected, "A sum of %g.", pages[i].sum);
  }
  EXPECT(value_of_odd() == operated, "%ld odd ones, not %ld.", value_of_odd(), operated);
  return ok();
}
