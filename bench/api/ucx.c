// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows of rows.h by UCX alone, between two processes on a processor each. The network is
// UCX_TLS's. A put is over when the endpoint is flushed. Round trips are active messages.
#define _GNU_SOURCE
#include <sched.h>
#include <stdint.h>
#include <sys/wait.h>
#include <ucp/api/ucp.h>
#include <unistd.h>

#include "rows.h"

enum { kMeeting, kData, kKinds, kMostBytes = 1024 };

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
static ucp_mem_h here;
static char* memory;
static uint64_t peers_memory;
static long received[kKinds];

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
  ucp_params_t parameters = {.field_mask = UCP_PARAM_FIELD_FEATURES,
                             .features = UCP_FEATURE_AM | UCP_FEATURE_RMA | UCP_FEATURE_AMO64};
  ucp_worker_params_t of_worker = {.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
                                   .thread_mode = UCS_THREAD_MODE_SINGLE};
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

static void open_memory(struct greeting* mine) {
  ucp_mem_map_params_t parameters = {
      .field_mask = UCP_MEM_MAP_PARAM_FIELD_LENGTH | UCP_MEM_MAP_PARAM_FIELD_FLAGS,
      .length = kMemoryBytes,
      .flags = UCP_MEM_MAP_ALLOCATE};
  check(ucp_mem_map(context, &parameters, &here), "memory");
  ucp_mem_attr_t attributes = {.field_mask = UCP_MEM_ATTR_FIELD_ADDRESS};
  check(ucp_mem_query(here, &attributes), "memory");
  memory = attributes.address;
  memset(memory, 1, kMemoryBytes);
  void* packed;
  check(ucp_rkey_pack(context, here, &packed, &mine->key_bytes), "a key");
  if (mine->key_bytes > kMostBytes) check(UCS_ERR_BUFFER_TOO_SMALL, "a key");
  memcpy(mine->key, packed, mine->key_bytes);
  mine->memory = (uint64_t)(uintptr_t)memory;
  ucp_rkey_buffer_release(packed);
}

static void greet(const int in, const int out) {
  static struct greeting mine, theirs;
  ucp_address_t* address;
  check(ucp_worker_get_address(worker, &address, &mine.address_bytes), "an address");
  if (mine.address_bytes > kMostBytes) check(UCS_ERR_BUFFER_TOO_SMALL, "an address");
  memcpy(mine.address, address, mine.address_bytes);
  ucp_worker_release_address(worker, address);
  open_memory(&mine);
  if (write(out, &mine, sizeof mine) != (ssize_t)sizeof mine) check(UCS_ERR_IO_ERROR, "meeting");
  for (size_t have = 0; have < sizeof theirs;) {
    const ssize_t more = read(in, (char*)&theirs + have, sizeof theirs - have);
    if (more <= 0) check(UCS_ERR_IO_ERROR, "meeting");
    have += (size_t)more;
  }
  ucp_ep_params_t parameters = {.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS,
                                .address = (ucp_address_t*)theirs.address};
  check(ucp_ep_create(worker, &parameters, &peer), "connecting");
  check(ucp_ep_rkey_unpack(peer, theirs.key, &key), "the peer's key");
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

static void flush(void) {
  const ucp_request_param_t parameters = {0};
  finish(ucp_ep_flush_nbx(peer, &parameters));
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

static void meet(void) {
  const long nothing = 0;
  send_message(kMeeting, &nothing, sizeof nothing);
  take_message(kMeeting);
}

// Under way when it returns, or over.
static ucs_status_ptr_t begin(const struct row* row, long i) {
  static uint64_t one = 1, before;
  const size_t at = place_of(row, i);
  ucp_request_param_t parameters = {.op_attr_mask = UCP_OP_ATTR_FIELD_MEMH, .memh = here};
  switch (row->operation) {
    case kGet:
    case kGets:
      return ucp_get_nbx(peer, memory + at, row->bytes, peers_memory + at, key, &parameters);
    case kAdd:
    case kAdds:
      parameters.op_attr_mask = UCP_OP_ATTR_FIELD_DATATYPE;
      parameters.datatype = ucp_dt_make_contig(sizeof one);
      if (row->operation == kAdd) {
        parameters.op_attr_mask |= UCP_OP_ATTR_FIELD_REPLY_BUFFER;
        parameters.reply_buffer = &before;
      }
      return ucp_atomic_op_nbx(peer, UCP_ATOMIC_OP_ADD, &one, 1, peers_memory, key, &parameters);
    default:
      return ucp_put_nbx(peer, memory + at, row->bytes, peers_memory + at, key, &parameters);
  }
}

static void ask(const struct row* row, long count) {
  const enum operation operation = row->operation;
  for (long i = 0; i < count; ++i) {
    if (operation == kMessage || operation == kSignal) {
      send_message(kData, memory, row->bytes);
      take_message(kData);
      continue;
    }
    const ucs_status_ptr_t request = begin(row, i);
    if (operation == kGet || operation == kAdd) {
      finish(request);
    } else if (operation == kPut || operation == kMulticast) {
      if (UCS_PTR_IS_PTR(request)) ucp_request_free(request);
      flush();
    } else if (UCS_PTR_IS_PTR(request)) {
      ucp_request_free(request);
    }
  }
  flush();
}

static void answer(const struct row* row, long count) {
  for (long i = 0; i < count; ++i) {
    take_message(kData);
    send_message(kData, memory, row->bytes);
  }
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
  if (argc < 2 || pipe(there) != 0 || pipe(back) != 0) {
    fprintf(stderr, "Usage: ucx ROW,ROW... [SCALE]\n");
    return 2;
  }
  static const struct system ucx = {meet, ask, answer};
  const pid_t other = fork();
  asks = other != 0;
  stay_on_processor(asks ? 0 : 1);
  open_worker();
  greet(asks ? back[0] : there[0], asks ? there[1] : back[1]);
  measure_rows(&ucx, argv[1], argc > 2 ? atol(argv[2]) : 1, asks);
  meet();
  if (asks) waitpid(other, &status, 0);
  fflush(stdout);
  _exit(status != 0);
}
