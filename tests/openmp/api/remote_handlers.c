// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Remote memory operations in handlers of UNIX signals, which are done or refused; a handler of
// signals in memory that blocks; and a program that ends while operations are under way.
//
// environment: WEFT_SPREAD=auto

#include <omp.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <weft/remote.h>

#include "outcomes.h"

enum { kMostNodes = 64, kSignals = 700 };

static weft_key keys[kMostNodes], bells[kMostNodes];
static uint64_t* mine[kMostNodes];
static int handled;

static int is_done_or_refused(int error) {
  return error == WEFT_OK || (weft_nodes() > 1 && error == WEFT_ERROR_HANDLER);
}

// On main's thread, on node 0. What is refused does not wait for anything.
static void on_unix_signal(int number) {
  (void)number;
  const uint64_t word = 7;
  for (int to = 0; to < weft_nodes(); to++) {
    const int error = weft_put(&keys[to], 8, &word, sizeof word, NULL, NULL);
    EXPECT(is_done_or_refused(error), "put: %s", weft_error_text(error));
  }
  EXPECT(is_done_or_refused(weft_fence(0)), "a fence is something else");
  if (weft_nodes() > 1) {
    EXPECT(weft_wait_for(mine[0] + 9, 1) == WEFT_ERROR_HANDLER, "a handler may wait");
    EXPECT(weft_unregister(mine[0]) == WEFT_ERROR_HANDLER, "a handler may unregister");
    EXPECT(weft_revoke(&keys[0]) == WEFT_ERROR_HANDLER, "a handler may revoke");
  }
  handled++;
}

// The first one blocks until node 0 says that it may go on.
static void on_signal(int node, uint64_t value, void* argument) {
  (void)node;
  uint64_t* const here = argument;
  if (value == 0) good(weft_wait_for(here + 2, 1));
  const uint64_t one = 1;
  good(weft_atomic(&keys[weft_node()], 8 * 3, WEFT_OP_ADD, WEFT_UINT64, &one, NULL, NULL, NULL,
                   NULL));
}

// More signals than there is room for, to a handler that blocks: their senders wait until it goes
// on.
static void a_handler_that_blocks(void) {
#pragma omp parallel
  {
    const int nodes = weft_nodes(), node = weft_node(), next = (node + 1) % nodes;
    const int first = omp_get_thread_num() % (omp_get_num_threads() / nodes) == 0;
    weft_signals* signals = NULL;
    if (first) {
      signals = weft_signals_open(on_signal, mine[node], &bells[node]);
      EXPECT(signals != NULL, "no signals");
    }
#pragma omp barrier
    if (first) {
      // So many find room, and one is with the handler.
      for (int i = 0; i < 256; i++) good(weft_signal(&bells[next], (uint64_t)i, NULL));
      const uint64_t count = __atomic_load_n(&mine[node][3], __ATOMIC_SEQ_CST);
      EXPECT(count == 0, "the handler has gone on after %d", (int)count);
    }
#pragma omp barrier
    if (first) {
      const weft_notice go_on = {.key = &keys[node], .offset = 8 * 2, .value = 1};
      good(weft_put(&keys[node], 0, &go_on, 0, &go_on, NULL));
      for (int i = 256; i < kSignals; i++) good(weft_signal(&bells[next], (uint64_t)i, NULL));
      good(weft_fence(0));
      good(weft_wait_for(mine[node] + 3, kSignals));
    }
#pragma omp barrier
    if (first) good(weft_signals_close(signals));
  }
}

int main(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_unix_signal;
  sigaction(SIGUSR1, &action, NULL);
#pragma omp parallel
  {
    const int node = weft_node(), per_node = omp_get_num_threads() / weft_nodes();
    if (omp_get_thread_num() % per_node == 0) {
      mine[node] = weft_register(4096, WEFT_RIGHT_MEMORY, &keys[node]);
      EXPECT(mine[node] != NULL, "no memory");
    }
  }
  raise(SIGUSR1);
  EXPECT(handled == 1, "the handler has run %d times", handled);
  a_handler_that_blocks();
  printf("ok\n");
  fflush(stdout);
#pragma omp parallel
  {
    // Nobody waits for these.
    for (int i = 0; i < 100; i++) {
      const uint64_t word = 1;
      for (int to = 0; to < weft_nodes(); to++) weft_put(&keys[to], 8, &word, 8, NULL, NULL);
    }
  }
  return 0;
}
