dnl SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
dnl The macros of the SPLASH programs as OpenMP: threads are those of one parallel region, barriers and locks
dnl OpenMP's. The programs that wait for conditions have mutexes for locks (-DCONDITIONS).
divert(-1)
define(NEWPROC,) dnl
define(SPLASH3_ROI_BEGIN, `')
define(SPLASH3_ROI_END, `')
define(BARRIER, `{
_Pragma("omp barrier")
}')
define(BARDEC, `int $1;')
define(BARINIT, `{;}')
define(PAUSEDEC, `sem_t $1;')
define(PAUSEINIT, `{sem_init(&($1),0,0);}')
define(CLEARPAUSE, `{;}')
define(SETPAUSE, `{sem_post(&($1));}')
define(WAITPAUSE, `{sem_wait(&($1));}')
define(CONDVARDEC, `pthread_cond_t $1;')
define(CONDVARINIT, `pthread_cond_init(&($1), NULL);')
define(RELEASE_FENCE, `{ atomic_thread_fence(memory_order_release);}')
define(ACQUIRE_FENCE, `{ atomic_thread_fence(memory_order_acquire);}')
define(FULL_FENCE,    `{ atomic_thread_fence(memory_order_seq_cst);}')
define(CREATE, `{
 int splash_threads = $2;
_Pragma("omp parallel num_threads(splash_threads)")
 { $1(); } }')
define(WAIT_FOR_END, `{;}')
define(MAIN_INITENV, `{;}')
define(MAIN_END, `{exit(0);}')
define(INCLUDES,`
#include <pthread.h>
#include <omp.h>
#include <stdlib.h>
#include <semaphore.h>
#include <assert.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/time.h>
#define PAGE_SIZE 4096
#define __MAX_THREADS__ 256
')
define(MAIN_ENV,`
INCLUDES
')
define(EXTERN_ENV, `
INCLUDES
')
define(G_MALLOC, `malloc($1);')
define(G_MALLOC_F, `malloc($1)')
define(NU_MALLOC, `malloc($1);')
define(CLOCK, `{struct timeval tv_; gettimeofday(&tv_, 0); ($1) = tv_.tv_sec * 1000000UL + tv_.tv_usec;}')

define(CONDVARWAIT, `{ pthread_cond_wait(&($1), &($2)); }')
define(CONDVARSIGNAL, `{ pthread_cond_signal(&($1)); }')
define(CONDVARBCAST, `{ pthread_cond_broadcast(&($1)); }')
ifdef(`CONDITIONS', `define(LOCK_TYPE, `pthread_mutex_t')define(INIT_LOCK, `pthread_mutex_init(&($1), NULL)')
define(SET_LOCK, `pthread_mutex_lock(&($1))')define(UNSET_LOCK, `pthread_mutex_unlock(&($1))')',
`define(LOCK_TYPE, `omp_lock_t')define(INIT_LOCK, `omp_init_lock(&($1))')
define(SET_LOCK, `omp_set_lock(&($1))')define(UNSET_LOCK, `omp_unset_lock(&($1))')')
define(LOCKDEC, `LOCK_TYPE $1;')
define(LOCKINIT, `{ INIT_LOCK($1); }')
define(LOCK, `{ SET_LOCK($1); }')
define(UNLOCK, `{ UNSET_LOCK($1); }')
define(ALOCKDEC, `LOCK_TYPE ($1)[$2];')
define(ALOCKINIT, `{ int i; for (i = 0; i < ($2); i++) { INIT_LOCK(($1)[i]); } }')
define(ALOCK, `{ SET_LOCK(($1)[$2]); }')
define(AULOCK, `{ UNSET_LOCK(($1)[$2]); }')
define(AGETL, `(($1)[$2])')
divert(0)
