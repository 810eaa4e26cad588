// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -pthread -D_GNU_SOURCE
//
// Threads of a program without parallel regions start on all nodes, each where the fewest are. What
// POSIX says of a new thread, and of what others may do to it, holds wherever it is.

#include <fenv.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <weft/weft.h>

#include "../check.h"

enum { kMost = 64, kLong = 3000 };

static int threads;  // two a node
static pthread_t ids[kMost];
static int node_of[kMost];
static pthread_barrier_t all_are_here;

static void create(int number, void* (*function)(void*), void* argument) {
  const int error = pthread_create(&ids[number], NULL, function, argument);
  EXPECT(error == 0, "pthread_create: %s", strerror(error));
}

static void* join(int number) {
  void* result = NULL;
  const int error = pthread_join(ids[number], &result);
  EXPECT(error == 0, "pthread_join of %d: %s", number, strerror(error));
  return result;
}

static void* say_where(void* argument) {
  node_of[(intptr_t)argument] = weft_node();
  pthread_barrier_wait(&all_are_here);
  return argument;
}

// With main, each node has its share.
static void are_shared_out(void) {
  int on[kMost] = {[0] = 1};
  pthread_barrier_init(&all_are_here, NULL, threads);
  for (int t = 1; t < threads; ++t) create(t, say_where, (void*)(intptr_t)t);
  pthread_barrier_wait(&all_are_here);
  for (int t = 1; t < threads; ++t) {
    EXPECT((intptr_t)join(t) == t, "The result of %d is another.", t);
    ++on[node_of[t]];
  }
  for (int node = 0; node < weft_nodes(); ++node) {
    EXPECT(on[node] == 2, "Node %d has had %d threads.", node, on[node]);
  }
}

// One that has ended makes room at once: the next one starts where it was.
static void take_turns(void) {
  pthread_barrier_init(&all_are_here, NULL, 1);
  for (int turn = 0; turn < 20; ++turn) {
    create(1, say_where, (void*)(intptr_t)1);
    join(1);
    const int expected = weft_nodes() > 1;
    EXPECT(node_of[1] == expected, "Turn %d was on node %d.", turn, node_of[1]);
  }
}

static int cells[kMost][kLong];

static void* add_to_row(void* argument) {
  int* row = argument;
  int local[kLong];
  for (int i = 0; i < kLong; ++i) local[i] = row[i] + i;
  memcpy(row, local, sizeof local);
  return row;
}

// Its maker's writes are seen by it, and its own by who joins it.
static void see_what_was_written(void) {
  for (int round = 1; round <= 3; ++round) {
    for (int t = 0; t < threads; ++t) {
      for (int i = 0; i < kLong; ++i) cells[t][i] += t;
      create(t, add_to_row, cells[t]);
    }
    for (int t = 0; t < threads; ++t) {
      EXPECT(join(t) == cells[t], "The result of %d is another.", t);
      for (int i = 0; i < kLong; ++i) {
        EXPECT(cells[t][i] == round * (t + i), "Cell %d of %d is %d.", i, t, cells[t][i]);
      }
    }
  }
}

static _Thread_local int own = 42;

static void* check_what_it_has(void* argument) {
  sigset_t blocked;
  char name[16];
  EXPECT(own == 42, "Its variable is %d.", own);
  own = (int)(intptr_t)argument;
  pthread_sigmask(SIG_BLOCK, NULL, &blocked);
  EXPECT(sigismember(&blocked, SIGUSR2) == 1, "SIGUSR2 is not blocked.");
  EXPECT(sigismember(&blocked, SIGUSR1) == 0, "SIGUSR1 is blocked.");
  EXPECT(fegetround() == FE_UPWARD, "It rounds as %d.", fegetround());
  pthread_getname_np(pthread_self(), name, sizeof name);
  EXPECT(strcmp(name, "a maker") == 0, "Its name is %s.", name);
  sched_yield();
  EXPECT(own == (int)(intptr_t)argument, "Its variable became %d.", own);
  return NULL;
}

static void inherit(void) {
  sigset_t usr2, before;
  char name[16];
  sigemptyset(&usr2);
  sigaddset(&usr2, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &usr2, &before);
  pthread_getname_np(pthread_self(), name, sizeof name);
  pthread_setname_np(pthread_self(), "a maker");
  fesetround(FE_UPWARD);
  for (int t = 0; t < threads; ++t) create(t, check_what_it_has, (void*)(intptr_t)t);
  for (int t = 0; t < threads; ++t) join(t);
  EXPECT(own == 42, "Main's variable became %d.", own);
  fesetround(FE_TONEAREST);
  pthread_setname_np(pthread_self(), name);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ended, destroyed, cleaned;
static pthread_key_t key;
static sem_t has_begun, may_end;

static void count(int* counter) {
  pthread_mutex_lock(&lock);
  ++*counter;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
}
static void destroy(void* value) { count(value); }

static void await(const int* counter, int value) {
  pthread_mutex_lock(&lock);
  while (*counter < value) pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
}

static void* end_alone(void* argument) {
  EXPECT(argument == &ended, "The argument is another.");
  pthread_setspecific(key, &destroyed);
  count(&ended);
  return NULL;
}

static void detach(void) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, 1 << 20);
  ended = destroyed = 0;
  for (int t = 0; t < threads; ++t) {
    EXPECT(pthread_create(&ids[t], &attributes, end_alone, &ended) == 0, "pthread_create");
  }
  await(&ended, threads);
  for (int t = 0; t < threads; ++t) {
    create(t, end_alone, &ended);
    EXPECT(pthread_detach(ids[t]) == 0, "pthread_detach");
  }
  await(&destroyed, 2 * threads);
  pthread_attr_destroy(&attributes);
}

static void* wait_for_end(void* argument) {
  pthread_cleanup_push(destroy, &cleaned);
  sem_post(&has_begun);
  if (argument == NULL) sem_wait(&may_end);
  while (argument != NULL) sched_yield(), pthread_testcancel();
  pthread_exit(&ids);
  pthread_cleanup_pop(0);
  return NULL;
}

static void exit_or_be_cancelled(void) {
  cleaned = 0;
  for (int t = 0; t < threads; ++t) create(t, wait_for_end, t % 2 == 0 ? NULL : &lock);
  for (int t = 0; t < threads; ++t) sem_wait(&has_begun);
  for (int t = 1; t < threads; t += 2) EXPECT(pthread_cancel(ids[t]) == 0, "pthread_cancel");
  for (int t = 0; t < threads; t += 2) sem_post(&may_end);
  for (int t = 0; t < threads; ++t) {
    void* const expected = t % 2 == 0 ? (void*)&ids : PTHREAD_CANCELED;
    void* const result = join(t);
    EXPECT(result == expected, "The result of %d is %p.", t, result);
  }
  EXPECT(cleaned == threads, "%d have cleaned up.", cleaned);
}

static volatile sig_atomic_t caught[kMost];
static _Thread_local int number_of_this;
static void on_signal(int number) { caught[number_of_this] = number; }

static void* be_signalled(void* argument) {
  number_of_this = (int)(intptr_t)argument;
  sem_post(&has_begun);
  // Mostly in the middle of something of Weft's, which puts the handler off.
  while (caught[number_of_this] == 0) {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
  }
  return NULL;
}

// The first ones that other nodes than main's ever get.
static void signals(void) {
  signal(SIGUSR1, on_signal);
  memset((void*)caught, 0, sizeof caught);
  for (int t = 0; t < threads; ++t) create(t, be_signalled, (void*)(intptr_t)t);
  for (int t = 0; t < threads; ++t) sem_wait(&has_begun);
  for (int t = 0; t < threads; ++t) EXPECT(pthread_kill(ids[t], SIGUSR1) == 0, "pthread_kill");
  for (int t = 0; t < threads; ++t) join(t);
  for (int t = 0; t < threads; ++t) EXPECT(caught[t] == SIGUSR1, "%d has none.", t);
}

static void* have_children(void* argument) {
  const intptr_t depth = (intptr_t)argument;
  pthread_t children[2];
  intptr_t sum = 1;
  if (depth == 0) return (void*)sum;
  for (int c = 0; c < 2; ++c) {
    EXPECT(pthread_create(&children[c], NULL, have_children, (void*)(depth - 1)) == 0, "children");
  }
  for (int c = 0; c < 2; ++c) {
    void* of_child = NULL;
    EXPECT(pthread_join(children[c], &of_child) == 0, "pthread_join");
    sum += (intptr_t)of_child;
  }
  return (void*)sum;
}

static void nested(void) {
  create(0, have_children, (void*)4);
  const intptr_t sum = (intptr_t)join(0);
  EXPECT(sum == 31, "There were %ld.", (long)sum);
}

int main(void) {
  threads = 2 * weft_nodes();
  pthread_key_create(&key, destroy);
  sem_init(&has_begun, 0, 0);
  sem_init(&may_end, 0, 0);
  are_shared_out();
  take_turns();
  see_what_was_written();
  inherit();
  detach();
  exit_or_be_cancelled();
  signals();
  nested();
  return ok();
}
