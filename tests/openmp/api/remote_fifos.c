// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// FIFOs in memory with writers on all nodes, also while they are full and empty; signals with
// handlers, and with threads that wait.
//
// environment: WEFT_SPREAD=auto

#include <errno.h>
#include <omp.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <weft/remote.h>

#include "outcomes.h"

enum { kMostNodes = 64, kMostThreads = 256, kMessages = 300 };

static weft_key keys[kMostNodes];
static int messages;  // of each thread to each node: fewer where there are many

// Of any size.
typedef struct {
  int thread, number;
  char text[100];
} Message;

// What a reader has taken of each thread's messages.
typedef struct {
  weft_fifo* fifo;
  int next[kMostThreads], taken;
} Reader;

static void check(Reader* reader, const Message* got, size_t bytes) {
  EXPECT(got->number == reader->next[got->thread], "message %d of thread %d, not %d", got->number,
         got->thread, reader->next[got->thread]);
  const size_t length = (size_t)(got->thread + got->number) % sizeof got->text;
  EXPECT(bytes == offsetof(Message, text) + length, "a message of %zu bytes", bytes);
  for (size_t i = 0; i < length; i++)
    EXPECT(got->text[i] == 'a' + got->number % 26, "a byte is %d", got->text[i]);
  reader->next[got->thread]++;
  reader->taken++;
}

// A reader that writes takes what has come whenever a FIFO is full: else all might wait for all.
static void write_as_reader(Reader* reader, const weft_key* to, const Message* message,
                            size_t bytes) {
  for (;;) {
    weft_request request;
    int error = weft_fifo_try_put(to, message, bytes, &request);
    if (error == WEFT_OK) error = weft_wait(&request);
    if (error == WEFT_OK) return;
    is(error, WEFT_ERROR_FULL);
    Message got;
    size_t got_bytes;
    error = weft_fifo_try_get(reader->fifo, &got, sizeof got, &got_bytes);
    if (error == WEFT_OK) {
      check(reader, &got, got_bytes);
    } else {
      is(error, WEFT_ERROR_EMPTY);
      sched_yield();
    }
  }
}

static void write_all(Reader* reader, int me) {
  for (int number = 0; number < messages; number++) {
    for (int to = 0; to < weft_nodes(); to++) {
      Message message = {.thread = me, .number = number};
      const size_t length = (size_t)(me + number) % sizeof message.text;
      memset(message.text, 'a' + number % 26, length);
      const size_t bytes = offsetof(Message, text) + length;
      if (reader->fifo != NULL) {
        write_as_reader(reader, &keys[to], &message, bytes);
      } else {
        good(weft_fifo_put(&keys[to], &message, bytes, NULL));
      }
    }
  }
}

static void read_all(Reader* reader, int threads) {
  while (reader->taken < threads * messages) {
    Message got;
    size_t bytes;
    memset(&got, 0, sizeof got);
    good(weft_fifo_get(reader->fifo, &got, sizeof got, &bytes));
    check(reader, &got, bytes);
  }
}

static void close_empty(Reader* reader) {
  Message got;
  size_t bytes;
  is(weft_fifo_try_get(reader->fifo, &got, sizeof got, &bytes), WEFT_ERROR_EMPTY);
  good(weft_fifo_close(reader->fifo));
  is(weft_fifo_try_get(reader->fifo, &got, sizeof got, &bytes), WEFT_ERROR_KEY);
}

// All threads write to each node; its first thread reads.
static void many_writers(int room) {
#pragma omp parallel
  {
    const int all = omp_get_num_threads(), me = omp_get_thread_num(), node = weft_node();
    Reader reader = {0};
    if (me % (all / weft_nodes()) == 0) {
      reader.fifo = weft_fifo_open((size_t)room, sizeof(Message), &keys[node]);
      EXPECT(reader.fifo != NULL, "no FIFO: %s", strerror(errno));
    }
#pragma omp barrier
    write_all(&reader, me);
    if (reader.fifo != NULL) read_all(&reader, all);
    good(weft_fence(0));
#pragma omp barrier
    if (reader.fifo != NULL) close_empty(&reader);
#pragma omp barrier
    weft_request request;
    const int error = weft_fifo_put(&keys[(node + 1) % weft_nodes()], &all, sizeof all, &request);
    is(error == WEFT_OK ? weft_wait(&request) : error, WEFT_ERROR_KEY);
#pragma omp barrier
  }
}

static int is_full, is_closed;

static void set(int* flag) {
#pragma omp atomic write seq_cst
  *flag = 1;
}
static void wait_for(const int* flag) {
  for (int seen = 0; !seen;) {
#pragma omp atomic read seq_cst
    seen = *flag;
  }
}

static int put_number(int number) {
  weft_request request;
  const int error = weft_fifo_put(&keys[0], &number, sizeof number, &request);
  return error == WEFT_OK ? weft_wait(&request) : error;
}

// Fills it, waits until there is room, and then until it is closed.
static void fill(void) {
  int error = WEFT_OK, count = 0;
  for (; error == WEFT_OK; count++) {
    weft_request request;
    error = weft_fifo_try_put(&keys[0], &count, sizeof count, &request);
    if (error == WEFT_OK) error = weft_wait(&request);
  }
  is(error, WEFT_ERROR_FULL);
  EXPECT(count == 5, "there was room for %d", count - 1);
  set(&is_full);
  for (; count < 7; count++) good(put_number(count));
  while (error != WEFT_ERROR_KEY) {
    error = put_number(count);
    EXPECT(error == WEFT_OK || error == WEFT_ERROR_KEY, "%s", weft_error_text(error));
  }
  set(&is_closed);
}

static void read_numbers(weft_fifo* fifo) {
  const int expected[] = {0, 1, 2, 3, 5, 6};  // the last two: the writer that waited got in
  wait_for(&is_full);
  for (int i = 0; i < 6; i++) {
    int number;
    size_t bytes;
    good(weft_fifo_get(fifo, &number, sizeof number, &bytes));
    EXPECT(number == expected[i] && bytes == sizeof number, "number %d, not %d", number,
           expected[i]);
  }
  good(weft_fifo_close(fifo));
  wait_for(&is_closed);
}

// The last thread writes to node 0, which does not read: the FIFO is full, and then closed.
static void full(void) {
#pragma omp parallel num_threads(weft_nodes() > 1 ? omp_get_max_threads() : 2)
  {
    weft_fifo* fifo = NULL;
    if (omp_get_thread_num() == 0) {
      fifo = weft_fifo_open(4, 8, &keys[0]);
      EXPECT(fifo != NULL, "no FIFO");
      weft_key wrong = keys[0];
      wrong.secret ^= 4;
      is(weft_fifo_put(&wrong, "a", 1, NULL), WEFT_ERROR_KEY);
      is(weft_put(&keys[0], 0, "a", 1, NULL, NULL), WEFT_ERROR_RIGHT);
      is(weft_fifo_put(&keys[0], "123456789", 9, NULL), WEFT_ERROR_SIZE);
    }
#pragma omp barrier
    if (fifo != NULL) read_numbers(fifo);
    if (omp_get_thread_num() == omp_get_num_threads() - 1) fill();
  }
}

// Handlers run on the node that opened the signals, one at a time, and may use all of the program.
static _Atomic long sums[kMostNodes];
static long in_order[kMostNodes][kMostThreads];

static void on_signal(int node, uint64_t value, void* argument) {
  const int here = weft_node(), thread = (int)(value >> 32);
  EXPECT(argument == &sums[here], "the argument is another node's");
  EXPECT(node >= 0 && node < weft_nodes(), "from node %d", node);
  EXPECT(in_order[here][thread] == (long)(value & 0xffffffff), "signal %ld of thread %d, not %ld",
         (long)(value & 0xffffffff), thread, in_order[here][thread]);
  in_order[here][thread]++;
  char* const block = malloc(100);
  memset(block, 1, 100);
  free(block);
  atomic_fetch_add(&sums[here], 1);
}

static void handlers(void) {
#pragma omp parallel
  {
    const int all = omp_get_num_threads(), per_node = all / weft_nodes();
    const int me = omp_get_thread_num(), node = weft_node();
    weft_signals* signals = NULL;
    if (me % per_node == 0) {
      signals = weft_signals_open(on_signal, &sums[node], &keys[node]);
      EXPECT(signals != NULL, "no signals: %s", strerror(errno));
      uint64_t value;
      is(weft_signals_wait(signals, NULL, &value), WEFT_ERROR_RIGHT);
    }
#pragma omp barrier
    for (int i = 0; i < messages; i++) {
      for (int to = 0; to < weft_nodes(); to++)
        good(weft_signal(&keys[to], (uint64_t)me << 32 | (unsigned)i, NULL));
    }
    good(weft_fence(0));
    while (atomic_load(&sums[node]) < (long)all * messages) sched_yield();
#pragma omp barrier
    if (signals != NULL) good(weft_signals_close(signals));
  }
}

// A token goes around the nodes.
static void waiting_threads(void) {
#pragma omp parallel
  {
    const int nodes = weft_nodes(), per_node = omp_get_num_threads() / nodes;
    const int node = weft_node(), first = omp_get_thread_num() % per_node == 0;
    weft_signals* signals = NULL;
    if (first) {
      signals = weft_signals_open(NULL, NULL, &keys[node]);
      EXPECT(signals != NULL, "no signals");
    }
#pragma omp barrier
    if (first) {
      if (node == 0) good(weft_signal(&keys[(node + 1) % nodes], 1, NULL));
      for (uint64_t turn = 1; turn <= 100; turn++) {
        int from;
        uint64_t value;
        good(weft_signals_wait(signals, &from, &value));
        EXPECT(from == (node + nodes - 1) % nodes, "from node %d", from);
        EXPECT(
            value == (turn - 1) * (unsigned)nodes + (node == 0 ? (unsigned)nodes : (unsigned)node),
            "turn %d: %d", (int)turn, (int)value);
        if (turn < 100 || node != 0) good(weft_signal(&keys[(node + 1) % nodes], value + 1, NULL));
      }
      good(weft_fence(0));
    }
#pragma omp barrier
    if (first) good(weft_signals_close(signals));
  }
}

int main(void) {
  messages = kMessages / weft_nodes();
  many_writers(2);
  many_writers(64);
  full();
  handlers();
  waiting_threads();
  weft_key key;
  EXPECT(weft_fifo_open(0, 8, &key) == NULL && errno == EINVAL, "no messages are taken");
  EXPECT(weft_fifo_open(8, 0, &key) == NULL && errno == EINVAL, "no bytes are taken");
  return ok();
}
