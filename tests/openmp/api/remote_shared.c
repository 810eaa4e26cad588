// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Puts and gets on shared memory go on by themselves: many are under way at once, in order, and end
// by requests, fences and notices.
//
// environment: WEFT_SPREAD=always

#include <omp.h>
#include <stdint.h>
#include <string.h>
#include <weft/remote.h>

#include "outcomes.h"

enum { kMostThreads = 64, kPage = 4096 / sizeof(uint64_t), kRounds = 4 };

// A page for each thread and round, which its thread writes.
static _Alignas(4096) uint64_t pages[kRounds][kMostThreads][kPage];
static weft_key key;

static uint64_t number(int round, int thread, int index) {
  return (uint64_t)(round * 1000000 + thread * 10000 + index);
}
static size_t at(int round, int thread, int index) {
  return (size_t)((const char*)&pages[round][thread][index] - (const char*)pages);
}

static void write_own(int round, int thread) {
  for (int i = 0; i < kPage; i++) pages[round][thread][i] = number(round, thread, i);
}

// One from each thread's page, all begun before the first is waited for.
static void gets_by_requests(int threads) {
  uint64_t found[kMostThreads];
  weft_request requests[kMostThreads];
  for (int i = 0; i < threads; i++)
    good(weft_get(&found[i], &key, at(0, i, i), sizeof found[i], NULL, &requests[i]));
  good(weft_wait_all(requests, (size_t)threads));
  for (int i = 0; i < threads; i++)
    EXPECT(found[i] == number(0, i, i), "of thread %d: %lu", i, (unsigned long)found[i]);
}

static void gets_by_tests_and_fences(int threads) {
  uint64_t first[kMostThreads], second[kMostThreads];
  weft_request request;
  for (int i = 0; i < threads; i++)
    good(weft_get(&first[i], &key, at(1, i, 7), sizeof first[i], NULL,
                  i + 1 == threads ? &request : NULL));
  int error;
  do error = weft_test(&request);
  while (error == WEFT_PENDING);
  good(error);
  // In order: the last one is over, and so all are.
  for (int i = 0; i < threads; i++)
    EXPECT(first[i] == number(1, i, 7), "of thread %d: %lu", i, (unsigned long)first[i]);
  for (int i = 0; i < threads; i++)
    good(weft_get(&second[i], &key, at(2, i, 8), sizeof second[i], NULL, NULL));
  good(weft_fence(1));
  for (int i = 0; i + 1 < threads; i++)
    EXPECT(second[i] == number(2, i, 8), "of thread %d: %lu", i, (unsigned long)second[i]);
  good(weft_fence(0));
  EXPECT(second[threads - 1] == number(2, threads - 1, 8), "of the last thread: %lu",
         (unsigned long)second[threads - 1]);
}

// A list is one operation, and its notice comes when all of it is here.
static void gets_by_notices(int threads) {
  weft_key own;
  uint64_t* const counter = weft_register(64, WEFT_RIGHT_MEMORY, &own);
  uint64_t found[kMostThreads][2];
  weft_piece pieces[kMostThreads];
  for (int i = 0; i < threads; i++)
    pieces[i] = (weft_piece){.offset = at(3, i, 20), .memory = found[i], .bytes = sizeof found[i]};
  const weft_notice arrived = {.key = &own, .offset = 8, .value = 3, .how = WEFT_NOTICE_ADD};
  good(weft_get_list(&key, pieces, (size_t)threads, &arrived, NULL));
  good(weft_wait_for(counter + 1, 3));
  for (int i = 0; i < threads; i++)
    EXPECT(found[i][1] == number(3, i, 21), "of thread %d: %lu", i, (unsigned long)found[i][1]);
  pieces[0].offset = sizeof pages - 1;
  is(weft_get_list(&key, pieces, (size_t)threads, &arrived, NULL) != WEFT_OK ? WEFT_ERROR_RANGE
                                                                             : weft_fence(0),
     WEFT_ERROR_RANGE);
  good(weft_fence(0));
  good(weft_unregister(counter));
}

// Two words of each thread's page of this thread's own column; what was put may be changed at once.
static void puts_and_gets(int threads, int me) {
  uint64_t value[2], back[kMostThreads][2];
  for (int i = 0; i < threads; i++) {
    value[0] = number(9, me, i);
    value[1] = value[0] + 1;
    good(weft_put(&key, at(0, i, 2 * me), value, sizeof value, NULL, NULL));
    good(weft_get(back[i], &key, at(0, i, 2 * me), sizeof back[i], NULL, NULL));
  }
  memset(value, 0, sizeof value);
  good(weft_fence(0));
  for (int i = 0; i < threads; i++)
    EXPECT(back[i][0] == number(9, me, i) && back[i][1] == back[i][0] + 1, "to thread %d: %lu", i,
           (unsigned long)back[i][0]);
}

// An atomic operation comes behind the put before it.
static void numbers_behind_puts(int threads, int me) {
  for (int i = 0; i < threads; i++) {
    const uint64_t value = number(5, me, i), two = 2;
    uint64_t old = 0;
    good(weft_put(&key, at(2, i, 100 + me), &value, sizeof value, NULL, NULL));
    good(weft_atomic(&key, at(2, i, 100 + me), WEFT_OP_ADD, WEFT_UINT64, &two, NULL, &old, NULL,
                     NULL));
    EXPECT(old == value, "before adding: %lu", (unsigned long)old);
  }
}

// A whole page, whose contents nobody has to fetch, and the beginning of this thread's.
static void large_puts(int me) {
  static uint64_t rows[kMostThreads][kPage + 5];
  if (me % 2 == 0) return;
  for (int i = 0; i < kPage + 5; i++) rows[me][i] = number(6, me, i);
  good(weft_put(&key, at(1, me - 1, 0), rows[me], sizeof rows[me], NULL, NULL));
  good(weft_fence(0));
}

static void look_at_all(int threads) {
  for (int i = 0; i < threads; i++)
    for (int from = 0; from < threads; from++) {
      EXPECT(pages[0][i][2 * from] == number(9, from, i), "page %d, from %d", i, from);
      EXPECT(pages[2][i][100 + from] == number(5, from, i) + 2, "page %d, added by %d", i, from);
    }
  for (int me = 1; me < threads; me += 2)
    for (int i = 0; i < kPage + 5; i++)
      EXPECT(((uint64_t*)pages[1][me - 1])[i] == number(6, me, i), "large put of %d: %d", me, i);
}

int main(void) {
  good(weft_shared_key(pages, sizeof pages, &key));
#pragma omp parallel
  {
    const int threads = omp_get_num_threads(), me = omp_get_thread_num();
    for (int round = 0; round < kRounds; round++) write_own(round, me);
#pragma omp barrier
    gets_by_requests(threads);
    gets_by_tests_and_fences(threads);
    gets_by_notices(threads);
#pragma omp barrier
    puts_and_gets(threads, me);
    numbers_behind_puts(threads, me);
    large_puts(me);
#pragma omp barrier
    look_at_all(threads);
  }
  return ok();
}
