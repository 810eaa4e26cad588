// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two processes on a processor each, which talk by UCX alone: api/ucx.c and paced/ucx.c. The
// network is UCX_TLS's. Active messages are counted by kind; either process may show the other one
// memory. What fails ends the process with a sentence.
#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <ucp/api/ucp.h>
#include <unistd.h>

enum { kMostMessageKinds = 4, kMostGreetingBytes = 1024 };

// What each process tells the other at the start.
struct greeting {
  size_t address_bytes, key_bytes;  // key_bytes 0: it shows no memory
  uint64_t memory;
  char address[kMostGreetingBytes], key[kMostGreetingBytes];
};

static int is_asker;  // this process asks, and the other one answers
static ucp_context_h context;
static ucp_worker_h worker;
static ucp_ep_h peer;
static ucp_rkey_h peers_key;  // null: it shows no memory
static uint64_t peers_memory;
static ucp_mem_h memory_handle;
static long received[kMostMessageKinds];

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

// `more_features`: beside messages, put, get and atomic operations.
static void open_worker(uint64_t more_features, ucs_thread_mode_t threads) {
  ucp_params_t parameters = {
      .field_mask = UCP_PARAM_FIELD_FEATURES,
      .features = UCP_FEATURE_AM | UCP_FEATURE_RMA | UCP_FEATURE_AMO64 | more_features};
  ucp_worker_params_t of_worker = {.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
                                   .thread_mode = threads};
  check(ucp_init(&parameters, NULL, &context), "opening");
  check(ucp_worker_create(context, &of_worker, &worker), "making a worker");
  for (unsigned kind = 0; kind < kMostMessageKinds; ++kind) {
    ucp_am_handler_param_t handler = {.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID |
                                                    UCP_AM_HANDLER_PARAM_FIELD_CB |
                                                    UCP_AM_HANDLER_PARAM_FIELD_ARG,
                                      .id = kind,
                                      .cb = on_message,
                                      .arg = &received[kind]};
    check(ucp_worker_set_am_recv_handler(worker, &handler), "taking messages");
  }
}

// Memory that UCX has allocated, which meet_peer() shows the peer.
static void* open_memory(size_t bytes) {
  ucp_mem_map_params_t parameters = {
      .field_mask = UCP_MEM_MAP_PARAM_FIELD_LENGTH | UCP_MEM_MAP_PARAM_FIELD_FLAGS,
      .length = bytes,
      .flags = UCP_MEM_MAP_ALLOCATE};
  check(ucp_mem_map(context, &parameters, &memory_handle), "memory");
  ucp_mem_attr_t attributes = {.field_mask = UCP_MEM_ATTR_FIELD_ADDRESS};
  check(ucp_mem_query(memory_handle, &attributes), "memory");
  return attributes.address;
}

static void pack_key(struct greeting* mine, const void* memory) {
  void* packed;
  check(ucp_rkey_pack(context, memory_handle, &packed, &mine->key_bytes), "a key");
  if (mine->key_bytes > kMostGreetingBytes) check(UCS_ERR_BUFFER_TOO_SMALL, "a key");
  memcpy(mine->key, packed, mine->key_bytes);
  mine->memory = (uint64_t)(uintptr_t)memory;
  ucp_rkey_buffer_release(packed);
}

// By descriptors from and to it. `memory`: of open_memory(), or null.
static void meet_peer(int in, int out, const void* memory) {
  static struct greeting mine, theirs;
  ucp_address_t* address;
  check(ucp_worker_get_address(worker, &address, &mine.address_bytes), "an address");
  if (mine.address_bytes > kMostGreetingBytes) check(UCS_ERR_BUFFER_TOO_SMALL, "an address");
  memcpy(mine.address, address, mine.address_bytes);
  ucp_worker_release_address(worker, address);
  if (memory != NULL) pack_key(&mine, memory);
  if (write(out, &mine, sizeof mine) != (ssize_t)sizeof mine) check(UCS_ERR_IO_ERROR, "meeting");
  for (size_t have = 0; have < sizeof theirs;) {
    const ssize_t more = read(in, (char*)&theirs + have, sizeof theirs - have);
    if (more <= 0) check(UCS_ERR_IO_ERROR, "meeting");
    have += (size_t)more;
  }
  ucp_ep_params_t parameters = {.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS,
                                .address = (ucp_address_t*)theirs.address};
  check(ucp_ep_create(worker, &parameters, &peer), "connecting");
  if (theirs.key_bytes != 0)
    check(ucp_ep_rkey_unpack(peer, theirs.key, &peers_key), "the peer's key");
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

// Makes the other process, which is 0 there; -1: it cannot be. `in` and `out` lead to the other
// one.
static pid_t become_two(int* in, int* out) {
  int there[2], back[2];
  if (pipe(there) != 0 || pipe(back) != 0) return -1;
  const pid_t other = fork();
  is_asker = other != 0;
  *in = is_asker ? back[0] : there[0];
  *out = is_asker ? there[1] : back[1];
  stay_on_processor(is_asker ? 0 : 1);
  return other;
}

// Ends this process, the one that asks behind the other.
static _Noreturn void end_pair(pid_t other) {
  int status = 0;
  if (is_asker) waitpid(other, &status, 0);
  fflush(stdout);
  _exit(status != 0);
}
