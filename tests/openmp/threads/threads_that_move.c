// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -pthread -D_GNU_SOURCE
//
// Threads that go on at other nodes (weft_migrate) keep all that they have: local variables at any
// depth, thread-local ones, registers, errno, the floating-point environment, the locale, their
// name, their signal mask, their values of keys, the mutexes that they hold, their id, and how much
// time they have used.

#include <errno.h>
#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <weft/weft.h>

#include "../check.h"

enum { kThreads = 3, kRounds = 6 };

static void go_to(int node) {
  const int error = weft_migrate(node);
  EXPECT(error == WEFT_OK, "to node %d: %s", node, weft_error_text(error));
  EXPECT(weft_node() == node, "It is on node %d, not %d.", weft_node(), node);
}
static void go_on(void) { go_to((weft_node() + 1) % weft_nodes()); }

static pthread_t start(void* (*function)(void*), void* argument) {
  pthread_t id;
  const int error = pthread_create(&id, NULL, function, argument);
  EXPECT(error == 0, "pthread_create: %s", strerror(error));
  return id;
}
static void* result_of(pthread_t id) {
  void* result = NULL;
  const int error = pthread_join(id, &result);
  EXPECT(error == 0, "pthread_join: %s", strerror(error));
  return result;
}

static void in_threads(void* (*function)(void*)) {
  pthread_t ids[kThreads];
  for (intptr_t t = 0; t < kThreads; ++t) ids[t] = start(function, (void*)t);
  for (intptr_t t = 0; t < kThreads; ++t) {
    void* const result = result_of(ids[t]);
    EXPECT(result == (void*)t, "The result of %d is %p.", (int)t, result);
  }
}

// Each level has variables, and goes on; what it has is there when the deeper ones are back.
static long dive(int depth, long seed) {
  long here[40];
  for (int i = 0; i < 40; ++i) here[i] = seed + i;
  const double half = (double)seed / 2;
  if (depth % 5 == 0) go_on();
  const long below = depth == 0 ? 0 : dive(depth - 1, seed + 1);
  if (depth % 7 == 0) go_on();
  long sum = below;
  for (int i = 0; i < 40; ++i) {
    EXPECT(here[i] == seed + i, "Level %d has %ld at %d.", depth, here[i], i);
    sum += here[i];
  }
  EXPECT(half == (double)seed / 2, "Level %d has %g.", depth, half);
  return sum;
}

static _Thread_local long own = 7, own_array[1000];

static void* keep_variables(void* argument) {
  long* const pointer = &own;
  const pthread_t self = pthread_self();
  for (int round = 0; round < kRounds; ++round) {
    const long before = own;
    go_on();
    EXPECT(&own == pointer && own == before, "The variable is %ld at %p.", own, (void*)&own);
    EXPECT(pthread_equal(pthread_self(), self), "It has another id.");
    own += (intptr_t)argument + 1;
    own_array[round * 100] = own;
    EXPECT(dive(50, own) == 51 * (40 * own + 780) + 40 * 1275, "The sum is another.");
  }
  for (int round = 0; round < kRounds; ++round) {
    EXPECT(own_array[round * 100] == 7 + (round + 1) * ((intptr_t)argument + 1), "Round %d.",
           round);
  }
  return argument;
}

static int64_t nanoseconds_used(void) {
  struct timespec time;
  EXPECT(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0, "The thread has no clock.");
  return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}
static int64_t microseconds_used(void) {
  struct rusage usage;
  EXPECT(getrusage(RUSAGE_THREAD, &usage) == 0, "The thread has used nothing.");
  return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * INT64_C(1000000) +
         usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
}

// What the kernel counts of the thread goes on from where it was.
static void* keep_time(void* argument) {
  enum { kTurn = 2000000 };
  const int64_t begin = nanoseconds_used();
  int64_t clock = begin, usage = microseconds_used();
  for (int round = 1; round <= kRounds; ++round) {
    while (nanoseconds_used() - clock < kTurn) continue;
    go_on();
    const int64_t clock_now = nanoseconds_used(), usage_now = microseconds_used();
    EXPECT(clock_now - clock >= kTurn, "The clock went from %jd to %jd.", (intmax_t)clock,
           (intmax_t)clock_now);
    EXPECT(usage_now >= usage, "It went from %jd to %jd us.", (intmax_t)usage, (intmax_t)usage_now);
    clock = clock_now;
    usage = usage_now;
  }
  EXPECT(clock - begin >= kRounds * kTurn, "Only %jd ns.", (intmax_t)(clock - begin));
  return argument;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t checked = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_spinlock_t spin;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static long guarded, turns;

// Nobody else is in the section while its thread moves in it.
static void* move_with_locks(void* argument) {
  for (int round = 0; round < kRounds; ++round) {
    pthread_mutex_lock(&lock);
    const long before = ++guarded;
    go_on();
    EXPECT(pthread_mutex_trylock(&lock) == EBUSY, "A mutex is free that is held.");
    EXPECT(guarded == before, "It was %ld and is %ld.", before, guarded);
    if (round % 2 == 0) go_on();
    ++guarded;
    pthread_mutex_unlock(&lock);

    pthread_mutex_lock(&recursive);
    go_on();
    pthread_mutex_lock(&recursive);
    go_on();
    pthread_mutex_unlock(&recursive);
    go_on();
    guarded += 0;
    pthread_mutex_unlock(&recursive);

    pthread_mutex_lock(&checked);
    go_on();
    EXPECT(pthread_mutex_lock(&checked) == EDEADLK, "An error-checking mutex does not check.");
    EXPECT(pthread_mutex_unlock(&checked) == 0, "It is not the holder.");
    EXPECT(pthread_mutex_unlock(&checked) == EPERM, "It is still the holder.");

    pthread_spin_lock(&spin);
    go_on();
    pthread_spin_unlock(&spin);
  }
  return argument;
}

// A condition gives up and takes the mutex that its thread has brought along.
static void* take_turns(void* argument) {
  for (int round = 0; round < kRounds; ++round) {
    pthread_mutex_lock(&lock);
    go_on();
    while (turns % kThreads != (intptr_t)argument) pthread_cond_wait(&changed, &lock);
    go_on();
    ++turns;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
  }
  return argument;
}

static pthread_key_t key, other_key;
static int destroyed;
static void destroy(void* value) {
  pthread_mutex_lock(&lock);
  destroyed += *(int*)value;
  pthread_mutex_unlock(&lock);
}

static void* keep_settings(void* argument) {
  static int one = 1;
  const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  sigset_t mask, found;
  char name[16];
  sigemptyset(&mask);
  sigaddset(&mask, SIGUSR2);
  pthread_sigmask(SIG_SETMASK, &mask, NULL);
  pthread_setname_np(pthread_self(), "a traveller");
  fesetround(FE_DOWNWARD);
  feraiseexcept(FE_DIVBYZERO);
  uselocale(plain);
  pthread_setspecific(key, &one);
  pthread_setspecific(other_key, argument);
  for (int round = 0; round < kRounds; ++round) {
    errno = 1000 + round;
    const int error = weft_migrate((weft_node() + 1) % weft_nodes());
    EXPECT(error == WEFT_OK && errno == 1000 + round, "errno is %d.", errno);
    pthread_sigmask(SIG_BLOCK, NULL, &found);
    EXPECT(sigismember(&found, SIGUSR2) == 1 && sigismember(&found, SIGUSR1) == 0, "The mask.");
    pthread_getname_np(pthread_self(), name, sizeof name);
    EXPECT(strcmp(name, "a traveller") == 0, "Its name is %s.", name);
    EXPECT(fegetround() == FE_DOWNWARD, "It rounds as %d.", fegetround());
    EXPECT(fetestexcept(FE_DIVBYZERO | FE_OVERFLOW) == FE_DIVBYZERO, "The flags are %x.",
           fetestexcept(FE_ALL_EXCEPT));
    EXPECT(uselocale((locale_t)0) == plain, "It has another locale.");
    EXPECT(pthread_getspecific(key) == &one, "A value is another.");
    EXPECT(pthread_getspecific(other_key) == argument, "The other value is another.");
  }
  uselocale(LC_GLOBAL_LOCALE);
  freelocale(plain);
  return argument;
}

static long* shown[kThreads];
static sem_t is_shown[kThreads], is_changed[kThreads];

// Another thread writes to its local and thread-local variables while it is elsewhere.
static void* show_variables(void* argument) {
  const int me = (int)(intptr_t)argument;
  long local[2] = {1, 2};
  own = 0;
  for (int round = 0; round < kRounds; ++round) {
    shown[me] = round % 2 == 0 ? local : &own;
    const long before = *shown[me];
    sem_post(&is_shown[me]);
    go_on();
    sem_wait(&is_changed[me]);
    EXPECT(*shown[me] == before + 10, "%ld became %ld.", before, *shown[me]);
  }
  return argument;
}

static void change_what_is_shown(void) {
  pthread_t ids[kThreads];
  for (intptr_t t = 0; t < kThreads; ++t) {
    sem_init(&is_shown[t], 0, 0);
    sem_init(&is_changed[t], 0, 0);
    ids[t] = start(show_variables, (void*)t);
  }
  for (int round = 0; round < kRounds; ++round) {
    for (int t = 0; t < kThreads; ++t) {
      sem_wait(&is_shown[t]);
      *shown[t] += 10;
      sem_post(&is_changed[t]);
    }
  }
  for (int t = 0; t < kThreads; ++t) result_of(ids[t]);
}

static jmp_buf before_move;

static void* jump(void* argument) {
  static int jumps;
  jumps = 0;
  const int found = setjmp(before_move);
  EXPECT(found == jumps, "The jump brought %d.", found);
  go_on();
  if (++jumps < 2 * weft_nodes()) longjmp(before_move, jumps);
  return argument;
}

int main(void) {
  pthread_key_create(&key, destroy);
  pthread_key_create(&other_key, NULL);
  pthread_spin_init(&spin, 0);
  in_threads(keep_variables);
  in_threads(keep_time);
  in_threads(move_with_locks);
  EXPECT(guarded == 2 * kThreads * kRounds, "It became %ld.", guarded);
  in_threads(take_turns);
  EXPECT(turns == kThreads * kRounds, "There were %ld turns.", turns);
  in_threads(keep_settings);
  EXPECT(destroyed == kThreads, "%d values were destroyed.", destroyed);
  change_what_is_shown();
  result_of(start(jump, NULL));
  return ok();
}
