// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows of rows.h by UCX alone, between two processes on a processor each. The network is
// UCX_TLS's. A put is over when the endpoint is flushed. Round trips are active messages.
#include "../ucx_pair.h"
#include "rows.h"

enum { kMeeting, kData };

static char* memory;

static void flush(void) {
  const ucp_request_param_t parameters = {0};
  finish(ucp_ep_flush_nbx(peer, &parameters));
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
  ucp_request_param_t parameters = {.op_attr_mask = UCP_OP_ATTR_FIELD_MEMH, .memh = memory_handle};
  switch (row->operation) {
    case kGet:
    case kGets:
      return ucp_get_nbx(peer, memory + at, row->bytes, peers_memory + at, peers_key, &parameters);
    case kAdd:
    case kAdds:
      parameters.op_attr_mask = UCP_OP_ATTR_FIELD_DATATYPE;
      parameters.datatype = ucp_dt_make_contig(sizeof one);
      if (row->operation == kAdd) {
        parameters.op_attr_mask |= UCP_OP_ATTR_FIELD_REPLY_BUFFER;
        parameters.reply_buffer = &before;
      }
      return ucp_atomic_op_nbx(peer, UCP_ATOMIC_OP_ADD, &one, 1, peers_memory, peers_key,
                               &parameters);
    default:
      return ucp_put_nbx(peer, memory + at, row->bytes, peers_memory + at, peers_key, &parameters);
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

int main(int argc, char** argv) {
  int in, out;
  if (argc < 2) {
    fprintf(stderr, "Usage: ucx ROW,ROW... [SCALE]\n");
    return 2;
  }
  static const struct system ucx = {meet, ask, answer};
  const pid_t other = become_two(&in, &out);
  if (other < 0) check(UCS_ERR_NO_RESOURCE, "the other process");
  open_worker(0, UCS_THREAD_MODE_SINGLE);
  memory = open_memory(kMemoryBytes);
  memset(memory, 1, kMemoryBytes);
  meet_peer(in, out, memory);
  measure_rows(&ucx, argv[1], argc > 2 ? atol(argv[2]) : 1, is_asker);
  meet();
  end_pair(other);
}
