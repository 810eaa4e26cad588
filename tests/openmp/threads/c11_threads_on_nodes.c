// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -pthread
//
// C11's threads on all nodes: results, exits, detaching, thread-specific storage, and the objects
// by which they wait for each other.

#include <stdatomic.h>
#include <stdint.h>
#include <threads.h>
#include <weft/weft.h>

#include "../check.h"

enum { kMost = 64, kTurns = 100 };

static int threads;
static mtx_t lock;
static cnd_t changed;
static tss_t own;
static once_flag once = ONCE_FLAG_INIT;
static int made, turn, destroyed;
static atomic_int ended;
static int node_of[kMost];

static void make(void) { ++made; }

static void destroy(void* value) {
  mtx_lock(&lock);
  destroyed += *(int*)value;
  cnd_broadcast(&changed);
  mtx_unlock(&lock);
}

static int take_turns(void* argument) {
  static int one = 1;
  const int me = (int)(intptr_t)argument;
  node_of[me] = weft_node();
  call_once(&once, make);
  EXPECT(made == 1, "It was made %d times.", made);
  EXPECT(tss_set(own, &one) == thrd_success && tss_get(own) == &one, "tss_set");
  mtx_lock(&lock);
  for (int t = 0; t < kTurns; ++t) {
    while (turn % threads != me) cnd_wait(&changed, &lock);
    ++turn;
    cnd_broadcast(&changed);
  }
  mtx_unlock(&lock);
  if (me % 2 == 0) thrd_exit(-me);
  return -me;
}

static int end_alone(void* counter) {
  atomic_fetch_add((atomic_int*)counter, 1);
  return 0;
}

int main(void) {
  thrd_t ids[kMost];
  int on[kMost] = {[0] = 1};
  threads = 2 * weft_nodes() - 1;
  mtx_init(&lock, mtx_plain);
  cnd_init(&changed);
  tss_create(&own, destroy);
  for (int t = 0; t < threads; ++t) {
    EXPECT(thrd_create(&ids[t], take_turns, (void*)(intptr_t)t) == thrd_success, "thrd_create");
  }
  for (int t = 0; t < threads; ++t) {
    int result = 1;
    EXPECT(thrd_join(ids[t], &result) == thrd_success, "thrd_join");
    EXPECT(result == -t, "The result of %d is %d.", t, result);
    EXPECT(!thrd_equal(ids[t], thrd_current()), "%d is the main thread.", t);
    ++on[node_of[t]];
  }
  EXPECT(turn == kTurns * threads, "There were %d turns.", turn);
  EXPECT(destroyed == threads, "%d values were destroyed.", destroyed);
  for (int node = 0; node < weft_nodes(); ++node) {
    EXPECT(on[node] == 2, "Node %d has had %d threads.", node, on[node]);
  }
  for (int t = 0; t < threads; ++t) {
    EXPECT(thrd_create(&ids[t], end_alone, &ended) == thrd_success, "thrd_create");
    EXPECT(thrd_detach(ids[t]) == thrd_success, "thrd_detach");
  }
  while (atomic_load(&ended) < threads) thrd_yield();
  return ok();
}
