// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -pthread -D_GNU_SOURCE
//
// Objects of POSIX threads in the program's data, used by threads of all nodes: each must exclude,
// wake, count and carry data as between threads of one process.

#include <errno.h>
#include <omp.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <time.h>

#include "../check.h"

enum { kRounds = 25 };

static struct timespec in_milliseconds(clockid_t clock, long milliseconds) {
  struct timespec time;
  clock_gettime(clock, &time);
  time.tv_nsec += milliseconds * 1000000;
  time.tv_sec += time.tv_nsec / 1000000000;
  time.tv_nsec %= 1000000000;
  return time;
}

// --- mutexes ---

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long chain, links;

static void add_link(void) {
  chain = chain * 5 % 1000003 + 1;
  ++links;
}

static void expect_chain(const char* by) {
  long expected = 0;
  for (long i = 0; i < links; ++i) expected = expected * 5 % 1000003 + 1;
  EXPECT(chain == expected, "%s: the chain of %ld is %ld, not %ld.", by, links, chain, expected);
  chain = links = 0;
}

static void mutexes(void) {
  long got = 0;
#pragma omp parallel reduction(+ : got)
  for (int round = 0; round < kRounds; ++round) {
    EXPECT(pthread_mutex_lock(&mutex) == 0, "lock");
    add_link();
    EXPECT(pthread_mutex_unlock(&mutex) == 0, "unlock");
    const int error = pthread_mutex_trylock(&mutex);
    EXPECT(error == 0 || error == EBUSY, "trylock says %d.", error);
    if (error != 0) continue;
    add_link();
    ++got;
    pthread_mutex_unlock(&mutex);
  }
  EXPECT(links == got + (long)kRounds * omp_get_max_threads(), "%ld links.", links);
  expect_chain("A mutex");
}

static void descend(pthread_mutex_t* recursive, int depth) {
  EXPECT(pthread_mutex_lock(recursive) == 0, "A recursive mutex cannot be locked at %d.", depth);
  if (depth > 0) descend(recursive, depth - 1);
  add_link();
  EXPECT(pthread_mutex_unlock(recursive) == 0, "A recursive mutex cannot be unlocked.");
}

static void kinds_of_mutex(void) {
  pthread_mutex_t* of_kind = malloc(2 * sizeof *of_kind);
  const int kinds[] = {PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ERRORCHECK};
  for (int again = 0; again < 2; ++again) {
    for (int k = 0; k < 2; ++k) {
      pthread_mutexattr_t attributes;
      pthread_mutexattr_init(&attributes);
      pthread_mutexattr_settype(&attributes, kinds[k]);
      EXPECT(pthread_mutex_init(&of_kind[k], &attributes) == 0, "init");
    }
#pragma omp parallel
    for (int round = 0; round < 5; ++round) {
      descend(&of_kind[0], 3);
      EXPECT(pthread_mutex_unlock(&of_kind[1]) == EPERM, "Another's mutex was unlocked.");
      EXPECT(pthread_mutex_lock(&of_kind[1]) == 0, "lock");
      EXPECT(pthread_mutex_lock(&of_kind[1]) == EDEADLK, "An own mutex was locked again.");
      EXPECT(pthread_mutex_trylock(&of_kind[1]) == EBUSY, "An own mutex was to be had.");
      EXPECT(pthread_mutex_unlock(&of_kind[1]) == 0, "unlock");
    }
    EXPECT(links == 20L * omp_get_max_threads(), "%ld links.", links);
    expect_chain("A recursive mutex");
    for (int k = 0; k < 2; ++k) EXPECT(pthread_mutex_destroy(&of_kind[k]) == 0, "destroy");
  }
  free(of_kind);
}

static void timed_mutex(void) {
  pthread_mutex_lock(&mutex);
#pragma omp parallel
  if (omp_get_thread_num() != 0) {
    struct timespec soon = in_milliseconds(CLOCK_REALTIME, 5);
    EXPECT(pthread_mutex_timedlock(&mutex, &soon) == ETIMEDOUT, "A held mutex was locked.");
    soon = in_milliseconds(CLOCK_MONOTONIC, 5);
    EXPECT(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &soon) == ETIMEDOUT, "clocklock");
  }
  pthread_mutex_unlock(&mutex);
#pragma omp parallel
  {
    const struct timespec late = in_milliseconds(CLOCK_REALTIME, 60000);
    EXPECT(pthread_mutex_timedlock(&mutex, &late) == 0, "A mutex was not to be had.");
    add_link();
    pthread_mutex_unlock(&mutex);
  }
  expect_chain("A timed lock");
}

static void spin_lock(void) {
  pthread_spinlock_t* lock = malloc(sizeof *lock);
  pthread_spin_init(lock, PTHREAD_PROCESS_PRIVATE);
#pragma omp parallel
  for (int round = 0; round < kRounds; ++round) {
    if (round % 2 == 0 || pthread_spin_trylock(lock) != 0) pthread_spin_lock(lock);
    add_link();
    pthread_spin_unlock(lock);
  }
  EXPECT(links == (long)kRounds * omp_get_max_threads(), "%ld links.", links);
  expect_chain("A spin lock");
  pthread_spin_destroy(lock);
  free((void*)lock);
}

// --- condition variables ---

static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int turn;

static void turns(void) {
  turn = 0;
#pragma omp parallel
  {
    const int me = omp_get_thread_num(), all = omp_get_num_threads();
    for (int round = 0; round < 8; ++round) {
      pthread_mutex_lock(&mutex);
      while (turn != round * all + me) pthread_cond_wait(&changed, &mutex);
      ++turn;
      pthread_cond_broadcast(&changed);
      pthread_mutex_unlock(&mutex);
    }
  }
  EXPECT(turn == 8 * omp_get_max_threads(), "%d turns.", turn);
}

// As many signals as waiting threads: none may get lost.
static void signals(void) {
  static int waiting, tickets;
  waiting = tickets = 0;
#pragma omp parallel
  {
    const int others = omp_get_num_threads() - 1;
    pthread_mutex_lock(&mutex);
    if (omp_get_thread_num() == others) {
      while (waiting < others) {
        pthread_mutex_unlock(&mutex);
        pthread_mutex_lock(&mutex);
      }
      for (int i = 0; i < others; ++i) {
        ++tickets;
        pthread_cond_signal(&changed);
      }
    } else {
      ++waiting;
      while (tickets == 0) pthread_cond_wait(&changed, &mutex);
      --tickets;
    }
    pthread_mutex_unlock(&mutex);
  }
  EXPECT(tickets == 0, "%d are left.", tickets);
}

static void timed_wait(void) {
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_t* never = malloc(sizeof *never);
  pthread_cond_init(never, &attributes);
#pragma omp parallel
  {
    pthread_mutex_lock(&mutex);
    struct timespec soon = in_milliseconds(CLOCK_MONOTONIC, 3);
    int error = pthread_cond_timedwait(never, &mutex, &soon);
    EXPECT(error == ETIMEDOUT, "Waiting for nothing ended with %d.", error);
    soon = in_milliseconds(CLOCK_REALTIME, 3);
    error = pthread_cond_clockwait(never, &mutex, CLOCK_REALTIME, &soon);
    EXPECT(error == ETIMEDOUT, "Waiting for nothing ended with %d.", error);
    add_link();
    pthread_mutex_unlock(&mutex);
  }
  expect_chain("After a timeout");
  pthread_cond_destroy(never);
  free(never);
}

// --- the others ---

static sem_t items, room;
enum { kSlots = 3 };
static int slots[kSlots];
static int head, tail;

// Thread 0 makes numbers, the others take them.
static void bounded_buffer(void) {
  sem_init(&items, 0, 0);
  sem_init(&room, 0, kSlots);
  head = tail = 0;
  long taken = 0;
  int consumers = omp_get_max_threads() - 1;
  if (consumers == 0) return;
#pragma omp parallel reduction(+ : taken)
  if (omp_get_thread_num() == 0) {
    for (int i = 0; i < kRounds * consumers; ++i) {
      sem_wait(&room);
      slots[head++ % kSlots] = i;
      sem_post(&items);
    }
  } else {
    for (int i = 0; i < kRounds; ++i) {
      sem_wait(&items);
      pthread_mutex_lock(&mutex);
      taken += slots[tail++ % kSlots];
      pthread_mutex_unlock(&mutex);
      sem_post(&room);
    }
  }
  const long n = (long)kRounds * consumers;
  EXPECT(taken == n * (n - 1) / 2, "The sum is %ld, not %ld.", taken, n * (n - 1) / 2);
  int value = -1;
  sem_getvalue(&room, &value);
  EXPECT(value == kSlots, "There is room for %d.", value);
  EXPECT(sem_trywait(&items) == -1 && errno == EAGAIN, "There was an item left.");
  const struct timespec soon = in_milliseconds(CLOCK_REALTIME, 3);
  EXPECT(sem_timedwait(&items, &soon) == -1 && errno == ETIMEDOUT, "There was an item left.");
  sem_destroy(&items);
  sem_destroy(&room);
}

static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static long left_side, right_side;

static void readers_and_writers(void) {
#pragma omp parallel
  for (int round = 0; round < kRounds; ++round) {
    if ((round + omp_get_thread_num()) % 4 == 0) {
      if (round % 8 < 4 || pthread_rwlock_trywrlock(&rwlock) != 0) pthread_rwlock_wrlock(&rwlock);
      left_side += round;
      right_side -= round;
      add_link();
    } else {
      if (round % 8 < 4 || pthread_rwlock_tryrdlock(&rwlock) != 0) pthread_rwlock_rdlock(&rwlock);
      EXPECT(left_side == -right_side, "A reader sees %ld and %ld.", left_side, right_side);
    }
    EXPECT(pthread_rwlock_unlock(&rwlock) == 0, "unlock");
  }
  expect_chain("A read-write lock");
  // Two readers at a time: each waits for the other.
  static int inside;
  const int wanted = omp_get_max_threads() < 2 ? 1 : 2;
#pragma omp parallel num_threads(wanted)
  {
    int seen = 0;
    pthread_rwlock_rdlock(&rwlock);
#pragma omp atomic
    ++inside;
    do {
#pragma omp atomic read
      seen = inside;
    } while (seen < omp_get_num_threads());
    pthread_rwlock_unlock(&rwlock);
  }
  const struct timespec soon = in_milliseconds(CLOCK_REALTIME, 3);
  pthread_rwlock_wrlock(&rwlock);
  int error = 0;
#pragma omp parallel num_threads(wanted)
  if (omp_get_thread_num() == wanted - 1) error = pthread_rwlock_timedrdlock(&rwlock, &soon);
  EXPECT(error == ETIMEDOUT || (wanted == 1 && error == EDEADLK), "timedrdlock: %d", error);
  EXPECT(pthread_rwlock_wrlock(&rwlock) == EDEADLK, "The holder locks again.");
  EXPECT(pthread_rwlock_rdlock(&rwlock) == EDEADLK, "The holder locks to read.");
  EXPECT(pthread_rwlock_tryrdlock(&rwlock) == EBUSY, "The holder tries to read.");
  pthread_rwlock_unlock(&rwlock);
}

static pthread_barrier_t barrier;

static void barriers(void) {
  const int all = omp_get_max_threads();
  int* cells = calloc((size_t)all, sizeof *cells);
  int serial = 0;
  pthread_barrier_init(&barrier, NULL, (unsigned)all);
#pragma omp parallel reduction(+ : serial)
  {
    const int me = omp_get_thread_num();
    for (int round = 1; round <= 6; ++round) {
      cells[me] = round;
      serial += pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
      for (int t = 0; t < all; ++t)
        EXPECT(cells[t] == round, "Thread %d is in round %d.", t, cells[t]);
      serial += pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
    }
  }
  EXPECT(serial == 12, "%d times a thread was the serial one.", serial);
  pthread_barrier_destroy(&barrier);
  free(cells);
}

// The serial thread makes the barrier anew, while others have not left it yet.
static void barriers_made_anew(void) {
  static pthread_barrier_t two[2];
  const unsigned all = (unsigned)omp_get_max_threads();
  int rounds = 0;
  for (int i = 0; i < 2; ++i) pthread_barrier_init(&two[i], NULL, all);
#pragma omp parallel reduction(+ : rounds)
  for (int i = 0; i < 40; ++i) {
    pthread_barrier_t* const mine = &two[i % 2];
    if (pthread_barrier_wait(mine) != PTHREAD_BARRIER_SERIAL_THREAD) continue;
    EXPECT(pthread_barrier_destroy(mine) == 0, "not destroyed");
    EXPECT(pthread_barrier_init(mine, NULL, all) == 0, "not made");
    ++rounds;
  }
  EXPECT(rounds == 40, "%d rounds", rounds);
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int done, made[2000];

static void make(void) {
  ++done;
  for (int i = 0; i < 2000; ++i) made[i] = i;
}

static void only_once(void) {
#pragma omp parallel
  {
    pthread_once(&once, make);
    for (int i = 0; i < 2000; ++i) EXPECT(made[i] == i, "Cell %d is %d.", i, made[i]);
  }
  EXPECT(done == 1, "It was done %d times.", done);
}

int main(void) {
  mutexes();
  kinds_of_mutex();
  timed_mutex();
  spin_lock();
  turns();
  signals();
  timed_wait();
  bounded_buffer();
  readers_and_writers();
  barriers();
  barriers_made_anew();
  only_once();
  return ok();
}
