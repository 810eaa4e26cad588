// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -pthread -D_GNU_SOURCE
//
// What other threads do to one that moves reaches it wherever it is: signals, cancellation, names,
// joining and detaching. And the threads that cannot move: weft_migrate says so, and nothing has
// changed.

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <weft/weft.h>

#include "../check.h"

enum { kTurns = 12 };

static sem_t has_moved, may_go_on;
static int cleaned, destroyed, ended;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_key_t key;

static void count(void* counter) {
  pthread_mutex_lock(&lock);
  ++*(int*)counter;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
}
static void await(const int* counter, int value) {
  pthread_mutex_lock(&lock);
  while (*counter < value) pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
}

static void go_to(int node) {
  const int error = weft_migrate(node);
  EXPECT(error == WEFT_OK, "to node %d: %s", node, weft_error_text(error));
}
static int other_node(void) { return (weft_node() + 1) % weft_nodes(); }

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

enum End { kReturns, kExits, kIsCancelled, kIsCancelledAtMove };

// The cleanup is pushed on one node and done on another; the value goes to its destructor.
static void* end_elsewhere(void* argument) {
  const enum End end = (enum End)(intptr_t)argument;
  void* result = &key;
  go_to(other_node());
  pthread_setspecific(key, &destroyed);
  pthread_cleanup_push(count, &cleaned);
  go_to(other_node());
  sem_post(&has_moved);
  if (end == kExits) pthread_exit(&lock);
  while (end == kIsCancelled) sched_yield(), pthread_testcancel();
  while (end == kIsCancelledAtMove) go_to(other_node());
  pthread_cleanup_pop(1);
  return result;
}

static void end_in_all_ways(void) {
  cleaned = destroyed = 0;
  for (int turn = 0; turn < kTurns; ++turn) {
    const enum End end = (enum End)(turn % 4);
    const pthread_t id = start(end_elsewhere, (void*)(intptr_t)end);
    sem_wait(&has_moved);
    if (end >= kIsCancelled) EXPECT(pthread_cancel(id) == 0, "pthread_cancel");
    void* const expected = end == kReturns ? (void*)&key
                           : end == kExits ? (void*)&lock
                                           : PTHREAD_CANCELED;
    void* const result = result_of(id);
    EXPECT(result == expected, "Turn %d ended with %p.", turn, result);
  }
  EXPECT(cleaned == kTurns, "%d have cleaned up.", cleaned);
  EXPECT(destroyed == kTurns, "%d values were destroyed.", destroyed);
}

static void* end_alone(void* argument) {
  go_to(other_node());
  if (argument == NULL) sem_wait(&may_go_on);
  count(&ended);
  return NULL;
}

static void detach(void) {
  ended = 0;
  for (int turn = 0; turn < kTurns; ++turn) {
    const pthread_t id = start(end_alone, NULL);
    EXPECT(pthread_detach(id) == 0, "pthread_detach");
    sem_post(&may_go_on);
  }
  await(&ended, kTurns);
}

static volatile sig_atomic_t caught;
static _Thread_local volatile sig_atomic_t caught_here;
static int stop, moved;
static void on_signal(int number) {
  (void)number;
  caught_here = caught_here + 1;
}

static void* move_and_catch(void* argument) {
  char name[16];
  while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
    go_to(other_node());
    __atomic_add_fetch(&moved, 1, __ATOMIC_RELEASE);
  }
  pthread_getname_np(pthread_self(), name, sizeof name);
  EXPECT(strcmp(name, "renamed") == 0, "Its name is %s.", name);
  *(int*)argument = caught_here;
  return NULL;
}

// Signals are handled by the thread that they are for, each of them, however often it moves.
static void send_signals(void) {
  enum { kSignals = 60 };
  struct sigaction action = {.sa_handler = on_signal};
  int count_of_signals = 0;
  char name[16];
  sigaction(SIGRTMIN, &action, NULL);
  stop = 0;
  const pthread_t id = start(move_and_catch, &count_of_signals);
  for (int turn = 0; turn < kSignals; ++turn) {
    const int error = turn % 2 == 0
                          ? pthread_kill(id, SIGRTMIN)
                          : pthread_sigqueue(id, SIGRTMIN, (union sigval){.sival_int = turn});
    EXPECT(error == 0, "The signal: %s", strerror(error));
  }
  EXPECT(pthread_setname_np(id, "renamed") == 0, "pthread_setname_np");
  EXPECT(pthread_getname_np(id, name, sizeof name) == 0, "pthread_getname_np");
  EXPECT(strcmp(name, "renamed") == 0, "It is named %s.", name);
  __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
  result_of(id);
  EXPECT(count_of_signals == kSignals, "%d signals were caught.", count_of_signals);
}

static void* move_on(void* argument) {
  char name[16];
  while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) go_to(other_node());
  pthread_getname_np(pthread_self(), name, sizeof name);  // enters the kernel: what waits is handled
  *(int*)argument = caught_here;
  return NULL;
}

// None stays behind on a node that the thread is about to leave, and to which it does not come back.
static void send_few_signals(void) {
  enum { kThreads = 150, kSignals = 3 };
  for (int turn = 0; turn < kThreads; ++turn) {
    int count_of_signals = 0;
    stop = 0;
    const pthread_t id = start(move_on, &count_of_signals);
    for (int number = 0; number < kSignals; ++number) pthread_kill(id, SIGRTMIN);
    __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
    result_of(id);
    EXPECT(count_of_signals == kSignals, "Of %d signals %d.", kSignals, count_of_signals);
  }
}

static int refused_with(int expected) { return weft_nodes() == 1 ? WEFT_ERROR_NODE : expected; }

static void expect_refusal(const char* where) {
  const int before = weft_node(), error = weft_migrate(before == 0 ? 1 : 0);
  EXPECT(error == refused_with(WEFT_ERROR_THREAD), "%s: %d", where, error);
  EXPECT(weft_node() == before, "%s: it has moved.", where);
}

static volatile int error_in_handler;
static void on_user_signal(int number) {
  (void)number;
  error_in_handler = weft_migrate(weft_node() == 0 ? 1 : 0);
}
static int compare(const void* a, const void* b) {
  expect_refusal("in qsort");
  return *(const int*)a - *(const int*)b;
}
static void in_once(void) { expect_refusal("in pthread_once"); }

static void* try_to_move(void* unused) {
  (void)unused;
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  int numbers[] = {3, 1, 2}, before = 0;
  sigset_t blocked, old;
  EXPECT(weft_migrate(weft_nodes()) == WEFT_ERROR_NODE, "a node too many");
  EXPECT(weft_migrate(-1) == WEFT_ERROR_NODE, "a negative node");
  EXPECT(weft_migrate(weft_node()) == WEFT_OK, "where it is");
  signal(SIGUSR1, on_user_signal);
  pthread_kill(pthread_self(), SIGUSR1);
  EXPECT(error_in_handler == refused_with(WEFT_ERROR_THREAD), "in a handler: %d", error_in_handler);
  if (weft_nodes() == 1) return NULL;
  qsort(numbers, 3, sizeof(int), compare);
  pthread_once(&once, in_once);
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &blocked, &old);
  pthread_kill(pthread_self(), SIGUSR1);
  expect_refusal("with a signal that waits");
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  go_to(other_node());
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
  pthread_cancel(pthread_self());
  expect_refusal("when it is to end");
  return &once;
}

int main(void) {
  sem_init(&has_moved, 0, 0);
  sem_init(&may_go_on, 0, 0);
  pthread_key_create(&key, count);
  expect_refusal("main");
  EXPECT(strcmp(weft_error_text(WEFT_ERROR_THREAD),
                "the calling thread cannot go on at another node, or not now") == 0,
         "the text");
  for (int turn = 0; turn < 3; ++turn) result_of(start(try_to_move, NULL));
  end_in_all_ways();
  detach();
  send_signals();
  send_few_signals();
  return ok();
}
