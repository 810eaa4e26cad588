// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What openmp.c does by UCX alone, between two processes on a processor each: a round trip, a get
// and an atomic operation with result. The network is UCX_TLS's. Usage: rows.h.
//
// The peer that is asked computes. Where UCX cannot read its memory without it, as over TCP, a
// thread of the peer must be woken, so one sleeps until there is an event, on the processor that
// computes. The row "woken_page" is a request for a page that such a thread answers in any case: a
// round trip and a wake-up, and nothing else.
#include "../ucx_pair.h"

#include <pthread.h>

#include "rows.h"

enum { kSignal, kPageRequest, kEnd };

static unsigned next_page;
static void* table;  // of the process that answers

// The table, each page with its number, and behind it the variable of the atomic operations.
static void* open_table(void) {
  long* const words = open_memory(sizeof(long) * kPageWords * (kTablePages + 1));
  for (size_t i = 0; i < (size_t)kPageWords * kTablePages; ++i) words[i] = (long)(i / kPageWords);
  return words;
}

static void exchange(void) {
  const long nothing = 0;
  if (is_asker) send_message(kSignal, &nothing, sizeof nothing);
  take_message(kSignal);
  if (!is_asker) send_message(kSignal, &nothing, sizeof nothing);
}

// Both processes do `count` times: compute, and the operation.
#define BY_BOTH(name, operation)                                          \
  static double name(const struct pace* pace) {                           \
    exchange();                                                           \
    const double start = now_us();                                        \
    for (long i = 0; i < pace->count; ++i) {                              \
      spin(pace->turns);                                                  \
      operation                                                           \
    }                                                                     \
    exchange();                                                           \
    return (now_us() - start) / (double)pace->count - pace->reference_us; \
  }

BY_BOTH(round_trip, exchange();)

// Answers until the other process has all that it wanted, and sleeps whenever there is nothing to
// do.
static void* serve(void* pages) {
  while (received[kEnd] == 0) {
    while (ucp_worker_progress(worker) > 0) {
    }
    for (; received[kPageRequest] > 0; --received[kPageRequest])
      send_message(kSignal, pages, kPageWords * sizeof(long));
    if (received[kEnd] == 0 && ucp_worker_arm(worker) == UCS_OK) ucp_worker_wait(worker);
  }
  --received[kEnd];
  return NULL;
}

static void compute_and_serve(const struct pace* pace) {
  pthread_t server;
  if (pthread_create(&server, NULL, serve, table) != 0) check(UCS_ERR_NO_RESOURCE, "a thread");
  spin(pace->turns_in_a_microsecond * kStretchMicroseconds);
  pthread_join(server, NULL);
}

// The process that asks does so while the other one computes. The time is that of the
// operations alone.
#define OF_A_COMPUTING_PEER(name, operation)             \
  static double name(const struct pace* pace) {          \
    double took = 0;                                     \
    long i = 0;                                          \
    exchange();                                          \
    if (!is_asker) {                                     \
      compute_and_serve(pace);                           \
    } else {                                             \
      const double end = now_us() + kAskingMicroseconds; \
      for (; i < pace->count && now_us() < end; ++i) {   \
        spin(pace->turns);                               \
        const double start = now_us();                   \
        operation took += now_us() - start;              \
      }                                                  \
      send_message(kEnd, &i, sizeof i);                  \
    }                                                    \
    exchange();                                          \
    return took / (double)(i > 0 ? i : 1);               \
  }

static void fetch_and_add(void) {
  const uint64_t one = 1;
  uint64_t before = 0;
  ucp_request_param_t parameters = {
      .op_attr_mask = UCP_OP_ATTR_FIELD_REPLY_BUFFER | UCP_OP_ATTR_FIELD_DATATYPE,
      .datatype = ucp_dt_make_contig(sizeof one),
      .reply_buffer = &before};
  const uint64_t variable = peers_memory + sizeof(long) * kPageWords * kTablePages;
  finish(ucp_atomic_op_nbx(peer, UCP_ATOMIC_OP_ADD, &one, 1, variable, peers_key, &parameters));
}

static void get_page(void) {
  static long page[kPageWords];
  const unsigned number = page_in_turn(next_page++);
  ucp_request_param_t parameters = {0};
  finish(ucp_get_nbx(peer, page, sizeof page, peers_memory + sizeof page * number, peers_key,
                     &parameters));
  if (page[0] != (long)number) check(UCS_ERR_INVALID_PARAM, "a page that was read");
}

static void ask_for_page(void) {
  const long number = 0;
  send_message(kPageRequest, &number, sizeof number);
  take_message(kSignal);
}

OF_A_COMPUTING_PEER(atomic_result, fetch_and_add();)
OF_A_COMPUTING_PEER(remote_page, get_page();)
OF_A_COMPUTING_PEER(woken_page, ask_for_page();)

static const struct row kRows[] = {
    {"round_trip", round_trip},
    {"atomic_result", atomic_result},
    {"remote_page", remote_page},
    {"woken_page", woken_page},
};

static void measure_all(const char* wanted, struct pace pace) {
  measure_rows(kRows, sizeof kRows / sizeof kRows[0], wanted, pace, is_asker);
}

int main(int argc, char** argv) {
  int in, out;
  if (argc < 3) {
    fprintf(stderr, "Usage: ucx ROW,ROW... MICROSECONDS,... [SCALE]\n");
    return 2;
  }
  const pid_t other = become_two(&in, &out);
  if (other < 0) check(UCS_ERR_NO_RESOURCE, "the other process");
  open_worker(UCP_FEATURE_WAKEUP, UCS_THREAD_MODE_SERIALIZED);
  if (!is_asker) table = open_table();
  meet_peer(in, out, table);
  exchange();
  const unsigned long turns = turns_in_a_microsecond();
  for (char* word = strtok(argv[2], ","); word != NULL; word = strtok(NULL, ","))
    measure_all(argv[1], pace_of(atoi(word), turns, argc > 3 ? atol(argv[3]) : 1));
  exchange();
  end_pair(other);
}
