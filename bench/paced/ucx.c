// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What openmp.c does by UCX alone, between two processes on a processor each: a round trip, a get
// and an atomic operation with result. The network is UCX_TLS's. Usage: rows.h.
//
// The peer that is asked computes. Where UCX cannot read its memory without it, as over TCP, a
// thread of the peer must be woken, so one sleeps until there is an event, on the processor that
// computes. The row "woken_page" is a request for a page that such a thread answers in any case: a
// round trip and a wake-up, and nothing else.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>
#include <ucp/api/ucp.h>
#include <unistd.h>

#include "rows.h"

enum { kSignal, kPageRequest, kEnd, kKinds, kMostBytes = 1024 };

// What each process tells the other at the start.
struct greeting {
  size_t address_bytes, key_bytes;
  uint64_t memory;
  char address[kMostBytes], key[kMostBytes];
};

static int asks;  // this process does, and the other one answers
static ucp_context_h context;
static ucp_worker_h worker;
static ucp_ep_h peer;
static ucp_rkey_h key;
static long* memory;
static uint64_t peers_memory;
static long received[kKinds];
static unsigned next_page;

static void check(ucs_status_t status, const char* what) {
  if (status == UCS_OK) return;
  fprintf(stderr, "ucx: %s: %s\n", what, ucs_status_string(status));
  exit(1);
}

static ucs_status_t on_message(void* count, const void* header, size_t header_bytes, void* data,
                               size_t bytes, const ucp_am_recv_param_t* parameters) {
  (void)header, (void)header_bytes, (void)data, (void)bytes, (void)parameters;
  ++*(long*)count;
  return UCS_OK;
}

static void open_worker(void) {
  ucp_params_t parameters = {
      .field_mask = UCP_PARAM_FIELD_FEATURES,
      .features = UCP_FEATURE_AM | UCP_FEATURE_RMA | UCP_FEATURE_AMO64 | UCP_FEATURE_WAKEUP};
  ucp_worker_params_t of_worker = {.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
                                   .thread_mode = UCS_THREAD_MODE_SERIALIZED};
  check(ucp_init(&parameters, NULL, &context), "opening");
  check(ucp_worker_create(context, &of_worker, &worker), "making a worker");
  for (unsigned kind = 0; kind < kKinds; ++kind) {
    ucp_am_handler_param_t handler = {.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID |
                                                    UCP_AM_HANDLER_PARAM_FIELD_CB |
                                                    UCP_AM_HANDLER_PARAM_FIELD_ARG,
                                      .id = kind,
                                      .cb = on_message,
                                      .arg = &received[kind]};
    check(ucp_worker_set_am_recv_handler(worker, &handler), "taking messages");
  }
}

// The table, each page with its number, and behind it the variable of the atomic operations.
static void open_memory(struct greeting* mine) {
  ucp_mem_map_params_t parameters = {
      .field_mask = UCP_MEM_MAP_PARAM_FIELD_LENGTH | UCP_MEM_MAP_PARAM_FIELD_FLAGS,
      .length = sizeof(long) * kPageWords * (kTablePages + 1),
      .flags = UCP_MEM_MAP_ALLOCATE};
  ucp_mem_h handle;
  check(ucp_mem_map(context, &parameters, &handle), "memory");
  ucp_mem_attr_t attributes = {.field_mask = UCP_MEM_ATTR_FIELD_ADDRESS};
  check(ucp_mem_query(handle, &attributes), "memory");
  memory = attributes.address;
  for (size_t i = 0; i < (size_t)kPageWords * kTablePages; ++i) memory[i] = (long)(i / kPageWords);
  void* packed;
  check(ucp_rkey_pack(context, handle, &packed, &mine->key_bytes), "a key");
  if (mine->key_bytes > kMostBytes) check(UCS_ERR_BUFFER_TOO_SMALL, "a key");
  memcpy(mine->key, packed, mine->key_bytes);
  mine->memory = (uint64_t)(uintptr_t)memory;
  ucp_rkey_buffer_release(packed);
}

static void meet(const int in, const int out) {
  static struct greeting mine, theirs;
  ucp_address_t* address;
  check(ucp_worker_get_address(worker, &address, &mine.address_bytes), "an address");
  if (mine.address_bytes > kMostBytes) check(UCS_ERR_BUFFER_TOO_SMALL, "an address");
  memcpy(mine.address, address, mine.address_bytes);
  ucp_worker_release_address(worker, address);
  if (!asks) open_memory(&mine);
  if (write(out, &mine, sizeof mine) != (ssize_t)sizeof mine) check(UCS_ERR_IO_ERROR, "meeting");
  for (size_t have = 0; have < sizeof theirs;) {
    const ssize_t more = read(in, (char*)&theirs + have, sizeof theirs - have);
    if (more <= 0) check(UCS_ERR_IO_ERROR, "meeting");
    have += (size_t)more;
  }
  ucp_ep_params_t parameters = {.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS,
                                .address = (ucp_address_t*)theirs.address};
  check(ucp_ep_create(worker, &parameters, &peer), "connecting");
  if (asks) check(ucp_ep_rkey_unpack(peer, theirs.key, &key), "the peer's key");
  peers_memory = theirs.memory;
}

static void finish(ucs_status_ptr_t request) {
  if (!UCS_PTR_IS_PTR(request)) {
    check(UCS_PTR_STATUS(request), "an operation");
    return;
  }
  while (ucp_request_check_status(request) == UCS_INPROGRESS) ucp_worker_progress(worker);
  check(ucp_request_check_status(request), "an operation");
  ucp_request_free(request);
}

static void send_message(unsigned kind, const void* data, size_t bytes) {
  ucp_request_param_t parameters = {.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS,
                                    .flags = UCP_AM_SEND_FLAG_EAGER};
  finish(ucp_am_send_nbx(peer, kind, NULL, 0, data, bytes, &parameters));
}

static void take_message(unsigned kind) {
  while (received[kind] == 0) ucp_worker_progress(worker);
  --received[kind];
}

static void exchange(void) {
  const long nothing = 0;
  if (asks) send_message(kSignal, &nothing, sizeof nothing);
  take_message(kSignal);
  if (!asks) send_message(kSignal, &nothing, sizeof nothing);
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
static void* serve(void* unused) {
  (void)unused;
  while (received[kEnd] == 0) {
    while (ucp_worker_progress(worker) > 0) {
    }
    for (; received[kPageRequest] > 0; --received[kPageRequest])
      send_message(kSignal, memory, kPageWords * sizeof(long));
    if (received[kEnd] == 0 && ucp_worker_arm(worker) == UCS_OK) ucp_worker_wait(worker);
  }
  --received[kEnd];
  return NULL;
}

static void compute_and_serve(const struct pace* pace) {
  pthread_t server;
  if (pthread_create(&server, NULL, serve, NULL) != 0) check(UCS_ERR_NO_RESOURCE, "a thread");
  spin(pace->turns_in_a_microsecond * kStretchMicroseconds);
  pthread_join(server, NULL);
}

// The process that asks does so while the other one computes. The time is that of the operations
// alone.
#define OF_A_COMPUTING_PEER(name, operation)             \
  static double name(const struct pace* pace) {          \
    double took = 0;                                     \
    long i = 0;                                          \
    exchange();                                          \
    if (!asks) {                                         \
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
  finish(ucp_atomic_op_nbx(peer, UCP_ATOMIC_OP_ADD, &one, 1, variable, key, &parameters));
}

static void get_page(void) {
  static long page[kPageWords];
  const unsigned number = page_in_turn(next_page++);
  ucp_request_param_t parameters = {0};
  finish(
      ucp_get_nbx(peer, page, sizeof page, peers_memory + sizeof page * number, key, &parameters));
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
  measure_rows(kRows, sizeof kRows / sizeof kRows[0], wanted, pace, asks);
}

// On the index-th processor that may be used; where there is no such, anywhere.
static void stay_on_processor(int index) {
  cpu_set_t all, one;
  if (sched_getaffinity(0, sizeof all, &all) != 0) return;
  for (int processor = 0; processor < CPU_SETSIZE; ++processor) {
    if (!CPU_ISSET(processor, &all) || index-- != 0) continue;
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    sched_setaffinity(0, sizeof one, &one);
  }
}

int main(int argc, char** argv) {
  int there[2], back[2], status = 0;
  if (argc < 3 || pipe(there) != 0 || pipe(back) != 0) {
    fprintf(stderr, "Usage: ucx ROW,ROW... MICROSECONDS,... [SCALE]\n");
    return 2;
  }
  const pid_t other = fork();
  asks = other != 0;
  stay_on_processor(asks ? 0 : 1);
  open_worker();
  meet(asks ? back[0] : there[0], asks ? there[1] : back[1]);
  exchange();
  const unsigned long turns = turns_in_a_microsecond();
  for (char* word = strtok(argv[2], ","); word != NULL; word = strtok(NULL, ","))
    measure_all(argv[1], pace_of(atoi(word), turns, argc > 3 ? atol(argv[3]) : 1));
  exchange();
  if (asks) waitpid(other, &status, 0);
  fflush(stdout);
  _exit(status != 0);
}
