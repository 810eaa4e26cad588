divert(-1)
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

The macros of Argonne National Laboratory (ANL, PARMACS) by POSIX threads, as the SPLASH programs
use them: docs/reference/anl-macros.md says what each does. The C code needs nothing of Weft, so any
compiler builds it; weftcc's programs run on several nodes (docs/guide/threads.md).

    m4 -Ulen -Uindex weft.m4 program.c.in > program.c

E. Lusk and others, Portable Programs for Parallel Processors, Holt, Rinehart and Winston, 1987.
S. C. Woo and others, The SPLASH-2 Programs, ISCA 1995.

What all source files begin with. A header and the file that includes it may both have it.

define(`WEFT_ANL_COMMON', `
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#ifndef PAGE_SIZE
#define PAGE_SIZE 4096
#endif
#ifndef WEFT_ANL_COMMON_
#define WEFT_ANL_COMMON_
enum { weft_anl_most_threads = 1024 };
typedef struct {
  pthread_mutex_t lock;
  pthread_cond_t all_here;
  unsigned arrived, round;
} weft_anl_barrier;
typedef struct {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  int is_set;
} weft_anl_pause;
typedef struct {
  weft_anl_barrier end;
  pthread_mutex_t lock;
  long next;
} weft_anl_loop;
typedef struct {
  void (*function)(void);
  int number;
} weft_anl_start;
extern pthread_t weft_anl_threads[weft_anl_most_threads];
extern weft_anl_start weft_anl_starts[weft_anl_most_threads];
extern int weft_anl_count; /* of main: threads that it has made and not joined */
extern pthread_key_t weft_anl_number;
__attribute__((unused)) static void* weft_anl_run(void* argument) {
  weft_anl_start* const start = (weft_anl_start*)argument;
  pthread_setspecific(weft_anl_number, (void*)(intptr_t)start->number);
  start->function();
  return NULL;
}
__attribute__((unused)) static void weft_anl_create(void (*function)(void)) {
  if (weft_anl_count + 1 >= weft_anl_most_threads) {
    fprintf(stderr, "CREATE: there are %d threads already\n", weft_anl_count);
    exit(1);
  }
  weft_anl_start* const start = &weft_anl_starts[weft_anl_count];
  start->function = function;
  start->number = weft_anl_count + 1;
  const int error = pthread_create(&weft_anl_threads[weft_anl_count], NULL, weft_anl_run, start);
  if (error != 0) {
    fprintf(stderr, "CREATE: there is no thread %d: error %d\n", start->number, error);
    exit(1);
  }
  ++weft_anl_count;
}
__attribute__((unused)) static void weft_anl_wait_for_end(void) {
  while (weft_anl_count > 0) pthread_join(weft_anl_threads[--weft_anl_count], NULL);
}
__attribute__((unused)) static void weft_anl_barrier_init(weft_anl_barrier* barrier) {
  pthread_mutex_init(&barrier->lock, NULL);
  pthread_cond_init(&barrier->all_here, NULL);
  barrier->arrived = barrier->round = 0;
}
__attribute__((unused)) static void weft_anl_barrier_wait(weft_anl_barrier* barrier,
                                                          unsigned threads) {
  pthread_mutex_lock(&barrier->lock);
  const unsigned round = barrier->round;
  if (++barrier->arrived == threads) {
    barrier->arrived = 0;
    ++barrier->round;
    pthread_cond_broadcast(&barrier->all_here);
  }
  while (round == barrier->round) pthread_cond_wait(&barrier->all_here, &barrier->lock);
  pthread_mutex_unlock(&barrier->lock);
}
__attribute__((unused)) static void weft_anl_pause_init(weft_anl_pause* pause) {
  pthread_mutex_init(&pause->lock, NULL);
  pthread_cond_init(&pause->changed, NULL);
  pause->is_set = 0;
}
__attribute__((unused)) static void weft_anl_pause_put(weft_anl_pause* pause, int is_set) {
  pthread_mutex_lock(&pause->lock);
  pause->is_set = is_set;
  if (is_set) pthread_cond_broadcast(&pause->changed);
  pthread_mutex_unlock(&pause->lock);
}
__attribute__((unused)) static void weft_anl_pause_wait(weft_anl_pause* pause) {
  pthread_mutex_lock(&pause->lock);
  while (!pause->is_set) pthread_cond_wait(&pause->changed, &pause->lock);
  pthread_mutex_unlock(&pause->lock);
}
__attribute__((unused)) static void weft_anl_loop_init(weft_anl_loop* loop) {
  weft_anl_barrier_init(&loop->end);
  pthread_mutex_init(&loop->lock, NULL);
  loop->next = 0;
}
/* Up to this last number; behind it all threads wait for each other, and begin anew. */
__attribute__((unused)) static long weft_anl_loop_next(weft_anl_loop* loop, long last,
                                                       unsigned threads) {
  pthread_mutex_lock(&loop->lock);
  const long next = loop->next <= last ? loop->next++ : -1;
  pthread_mutex_unlock(&loop->lock);
  if (next >= 0) return next;
  weft_anl_barrier_wait(&loop->end, threads);
  pthread_mutex_lock(&loop->lock);
  loop->next = 0;
  pthread_mutex_unlock(&loop->lock);
  weft_anl_barrier_wait(&loop->end, threads);
  return -1;
}
__attribute__((unused)) static void* weft_anl_malloc(size_t bytes) {
  void* const memory = malloc(bytes);
  if (memory != NULL || bytes == 0) return memory;
  fprintf(stderr, "G_MALLOC: there are no %zu bytes\n", bytes);
  exit(1);
}
__attribute__((unused)) static unsigned long weft_anl_clock(void) {
  struct timeval now;
  gettimeofday(&now, NULL);
  return (unsigned long)now.tv_sec * 1000000 + (unsigned long)now.tv_usec;
}
#endif
')

The program as a whole.

define(`MAIN_ENV', `WEFT_ANL_COMMON()
pthread_t weft_anl_threads[weft_anl_most_threads];
weft_anl_start weft_anl_starts[weft_anl_most_threads];
int weft_anl_count;
pthread_key_t weft_anl_number;
')
define(`EXTERN_ENV', `WEFT_ANL_COMMON()')
define(`MAIN_INITENV', `{ pthread_key_create(&weft_anl_number, NULL); }')
define(`MAIN_END', `{ exit(0); }')
define(`NEWPROC', `')

Threads. CREATE(f): one more. CREATE(f, n): n - 1 more, and f here as well.

define(`CREATE', `ifelse(`$#', `1', `{ weft_anl_create((void (*)(void))($1)); }',
  `{ for (int weft_anl_i = 1; weft_anl_i < (int)($2); ++weft_anl_i) weft_anl_create((void (*)(void))($1)); ($1)(); }')')
define(`WAIT_FOR_END', `{ weft_anl_wait_for_end(); }')
define(`GET_PID', `{ ($1) = (int)(intptr_t)pthread_getspecific(weft_anl_number); }')

Barriers, locks, pauses, conditions, loops.

define(`BARDEC', `weft_anl_barrier $1;')
define(`BARINIT', `{ weft_anl_barrier_init(&($1)); }')
define(`BARRIER', `{ weft_anl_barrier_wait(&($1), (unsigned)($2)); }')
define(`BAREXCLUDE', `{ errprint(`weft.m4: there is no BAREXCLUDE
')m4exit(`1') }')

define(`LOCKDEC', `pthread_mutex_t $1;')
define(`LOCKINIT', `{ pthread_mutex_init(&($1), NULL); }')
define(`LOCK', `{ pthread_mutex_lock(&($1)); }')
define(`UNLOCK', `{ pthread_mutex_unlock(&($1)); }')
define(`ALOCKDEC', `pthread_mutex_t $1[$2];')
define(`ALOCKINIT', `{ for (int weft_anl_i = 0; weft_anl_i < (int)($2); ++weft_anl_i) pthread_mutex_init(&($1)[weft_anl_i], NULL); }')
define(`ALOCK', `{ pthread_mutex_lock(&($1)[$2]); }')
define(`AULOCK', `{ pthread_mutex_unlock(&($1)[$2]); }')
define(`AGETL', `(($1)[$2])')

define(`PAUSEDEC', `weft_anl_pause $1`'ifelse(`$2', `', `', `[$2]');')
define(`PAUSEINIT', `{ ifelse(`$2', `', `weft_anl_pause_init(&($1));',
  `for (int weft_anl_i = 0; weft_anl_i < (int)($2); ++weft_anl_i) weft_anl_pause_init(&($1)[weft_anl_i]);') }')
define(`WEFT_ANL_PAUSE', `&($1)`'ifelse(`$2', `', `', `[$2]')')
define(`CLEARPAUSE', `{ weft_anl_pause_put(WEFT_ANL_PAUSE(`$1', `$2'), 0); }')
define(`SETPAUSE', `{ weft_anl_pause_put(WEFT_ANL_PAUSE(`$1', `$2'), 1); }')
define(`WAITPAUSE', `{ weft_anl_pause_wait(WEFT_ANL_PAUSE(`$1', `$2')); }')

define(`CONDVARDEC', `pthread_cond_t $1;')
define(`CONDVARINIT', `{ pthread_cond_init(&($1), NULL); }')
define(`CONDVARWAIT', `{ pthread_cond_wait(&($1), &($2)); }')
define(`CONDVARSIGNAL', `{ pthread_cond_signal(&($1)); }')
define(`CONDVARBCAST', `{ pthread_cond_broadcast(&($1)); }')

define(`GSDEC', `weft_anl_loop $1;')
define(`GSINIT', `{ weft_anl_loop_init(&($1)); }')
define(`GETSUB', `{ ($2) = weft_anl_loop_next(&($1), (long)($3), (unsigned)($4)); }')

define(`RELEASE_FENCE', `{ atomic_thread_fence(memory_order_release); }')
define(`ACQUIRE_FENCE', `{ atomic_thread_fence(memory_order_acquire); }')
define(`FULL_FENCE', `{ atomic_thread_fence(memory_order_seq_cst); }')

Memory, and time in microseconds. Some programs end G_MALLOC by a semicolon, others do not.

define(`G_MALLOC', `weft_anl_malloc($1);')
define(`G_MALLOC_F', `weft_anl_malloc($1)')
define(`NU_MALLOC', `weft_anl_malloc($1);')
define(`NU_MALLOC_F', `weft_anl_malloc($1)')
define(`G_FREE', `{ free($1); }')
define(`NU_FREE', `{ free($1); }')
define(`G_MEMSIZE', `')
define(`CLOCK', `{ ($1) = weft_anl_clock(); }')

What SPLASH-3 marks for simulators.

define(`SPLASH3_ROI_BEGIN', `')
define(`SPLASH3_ROI_END', `')
divert(0)dnl
