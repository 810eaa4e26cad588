// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows of rows.h by weft/remote.h, on two nodes of one thread.
#include <omp.h>
#include <weft/remote.h>

#include "rows.h"

static weft_key keys[2], fifo_keys[2], signal_keys[2];
static char* memory[2];
static weft_fifo* fifo[2];
static weft_signals* signals[2];

static void check(int error) {
  if (error == WEFT_OK) return;
  fprintf(stderr, "weft: %s\n", weft_error_text(error));
  exit(1);
}

static void meet(void) {
#pragma omp barrier
}

static int peer(void) { return 1 - weft_node(); }

// An operation that ends at the request's end, or at the next fence.
static void begin(const struct row* row, long i, int to, weft_request* request) {
  const weft_key* const key = &keys[to];
  const size_t at = place_of(row, i);
  char* const here = memory[1 - to] + at;
  const uint64_t one = 1;
  static uint64_t before[8];
  switch (row->operation) {
    case kPut:
    case kPuts:
      return check(weft_put(key, at, here, row->bytes, NULL, request));
    case kGet:
    case kGets:
      return check(weft_get(here, key, at, row->bytes, NULL, request));
    case kMulticast:
      return check(weft_put_multicast(key, 1, at, here, row->bytes, NULL, request));
    default:
      return check(weft_atomic(key, 0, WEFT_OP_ADD, WEFT_UINT64, &one, NULL,
                               row->operation == kAdd ? before : NULL, NULL, request));
  }
}

static void send_to_peer(const struct row* row) {
  char message[kMessageBytes] = {0};
  if (row->operation == kMessage) {
    check(weft_fifo_put(&fifo_keys[peer()], message, row->bytes, NULL));
  } else {
    check(weft_signal(&signal_keys[peer()], 1, NULL));
  }
}

static void take(const struct row* row) {
  char message[kMessageBytes];
  size_t bytes;
  uint64_t value;
  if (row->operation == kMessage) {
    check(weft_fifo_get(fifo[weft_node()], message, sizeof message, &bytes));
  } else {
    check(weft_signals_wait(signals[weft_node()], NULL, &value));
  }
}

static void ask(const struct row* row, long count) {
  const enum operation operation = row->operation;
  const int waits =
      operation == kPut || operation == kGet || operation == kAdd || operation == kMulticast;
  const int to = peer();
  for (long i = 0; i < count; ++i) {
    weft_request request;
    if (operation == kMessage || operation == kSignal) {
      send_to_peer(row);
      take(row);
    } else if (waits) {
      begin(row, i, to, &request);
      check(weft_wait(&request));
    } else {
      begin(row, i, to, NULL);
    }
  }
  check(weft_fence(0));
}

static void answer(const struct row* row, long count) {
  for (long i = 0; i < count; ++i) {
    take(row);
    send_to_peer(row);
  }
  check(weft_fence(0));
}

int main(int argc, char** argv) {
  if (argc < 2 || weft_nodes() != 2) {
    fprintf(stderr, "Usage, on two nodes: weft ROW,ROW... [SCALE]\n");
    return 2;
  }
  static const struct system weft = {meet, ask, answer};
  const long scale = argc > 2 ? atol(argv[2]) : 1;
#pragma omp parallel num_threads(2)
  {
    const int node = weft_node();
    memory[node] = weft_register(kMemoryBytes, WEFT_RIGHT_MEMORY, &keys[node]);
    fifo[node] = weft_fifo_open(64, kMessageBytes, &fifo_keys[node]);
    signals[node] = weft_signals_open(NULL, NULL, &signal_keys[node]);
    memset(memory[node], 1, kMemoryBytes);
    meet();
    measure_rows(&weft, argv[1], scale, node == 0);
  }
  return 0;
}
