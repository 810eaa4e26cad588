// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -pthread
//
// C11's mutexes, condition variables and call_once between threads of all nodes.

#include <omp.h>
#include <threads.h>
#include <time.h>

#include "../check.h"

static mtx_t plain, recursive;
static cnd_t changed;
static once_flag once = ONCE_FLAG_INIT;
static int turn, made;
static long sum;

static void make(void) { ++made; }

int main(void) {
  EXPECT(mtx_init(&plain, mtx_timed) == thrd_success, "mtx_init");
  EXPECT(mtx_init(&recursive, mtx_plain | mtx_recursive) == thrd_success, "mtx_init");
  EXPECT(cnd_init(&changed) == thrd_success, "cnd_init");
#pragma omp parallel
  {
    const int me = omp_get_thread_num(), all = omp_get_num_threads();
    call_once(&once, make);
    EXPECT(made == 1, "It was made %d times.", made);
    for (int round = 0; round < 5; ++round) {
      mtx_lock(&plain);
      while (turn != round * all + me) cnd_wait(&changed, &plain);
      ++turn;
      EXPECT(mtx_lock(&recursive) == thrd_success, "lock");
      EXPECT(mtx_trylock(&recursive) == thrd_success, "A recursive mutex was busy.");
      sum += me;
      mtx_unlock(&recursive);
      mtx_unlock(&recursive);
      cnd_broadcast(&changed);
      mtx_unlock(&plain);
    }
  }
  const long threads = omp_get_max_threads();
  EXPECT(turn == 5 * threads, "%d turns.", turn);
  EXPECT(sum == 5 * threads * (threads - 1) / 2, "The sum is %ld.", sum);

  mtx_lock(&plain);
#pragma omp parallel
  if (omp_get_thread_num() != 0) {
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    EXPECT(mtx_timedlock(&plain, &now) == thrd_timedout, "A held mutex was locked.");
    EXPECT(mtx_trylock(&plain) == thrd_busy, "A held mutex was locked.");
  }
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  EXPECT(cnd_timedwait(&changed, &plain, &now) == thrd_timedout, "There was no timeout.");
  mtx_unlock(&plain);
  cnd_destroy(&changed);
  mtx_destroy(&plain);
  return ok();
}
