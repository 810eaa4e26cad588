// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of remote memory operations that is another on several nodes. libweft.so has the calls
// of weft/remote.h, and the definitions of these functions for one node
// (start/calls/remote_alone.cpp); the node library stands before it with those for several
// (src/api/remote). So what the calls do and refuse is written once.
//
// All of them are called on program stacks or off them, outside of locks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/remote/operation.hpp"
#include "base/remote/table.hpp"
#include "include/weft/remote.h"

namespace weft::remote {

// One of the memories of a multicast.
struct Target {
  int node = 0;
  std::uint32_t number = 0;
  std::uint64_t secret = 0;
  bool has_notice = false;
  Notice notice;  // for that node
};

}  // namespace weft::remote

extern "C" {

// This node's table. Null: it could not be made, or nobody has asked for it yet and `makes` is 0.
weft::remote::Table* __weft_remote_own_table(int makes);
// Memory for a piece of this node's, all zero; sets its offset. Null: there is none. For one thread
// at a time.
std::byte* __weft_remote_map(weft::remote::Piece* piece, std::size_t bytes);
void __weft_remote_unmap(weft::remote::Piece* piece, std::byte* memory);

// How another node that exists is reached. It stays so. WEFT_OK and null: by messages.
int __weft_remote_reach(int node, const weft::remote::View** view);
// Where a piece of that node is mapped here; by a thread that uses it. Null: it cannot be.
std::byte* __weft_remote_memory(int node, std::uint32_t piece);

// Sends the operation to its node, with the notice for that node, or null. `*record` is null before
// the first operation of a call. An error: nothing was sent.
int __weft_remote_send(int node, const weft::remote::Operation* operation,
                       const weft::remote::Notice* notice, void** record);
// The same of a put to all of these, each by its key.
int __weft_remote_send_all(const weft::remote::Target* targets, std::size_t count,
                           const weft::remote::Operation* operation, void** record);
// All operations of a call are sent. `error`: of those that were not; `notice`: for this node, when
// all is over, or null. Returns as the call does.
int __weft_remote_sent(void* record, int error, const weft::remote::Notice* notice,
                       weft_request* request);
// Of a request with a state.
int __weft_remote_test(weft_request* request);
int __weft_remote_wait(weft_request* request);
int __weft_remote_fence(std::size_t at_most);

// Waits until the bell has rung since `seen` was read, or is_over(argument), or for less. The
// caller is Waiting.
void __weft_remote_await(weft::remote::Bell* bell, std::uint32_t seen,
                         bool (*is_over)(const void* argument), const void* argument);
// There is room in this node's FIFO, or it is closed.
void __weft_remote_made_room(std::uint32_t number);

// Puts, gets and atomic operations on shared memory at `there`. What is not over when this returns
// has a share of `*record`, as after __weft_remote_send.
int __weft_remote_share(std::byte* there, const weft::remote::Operation* operation, void** record);
// Whether these bytes can have a key of shared memory: as weft_check_out returns.
int __weft_remote_check_shared(const void* address, std::size_t bytes);
int __weft_remote_is_in_handler(void);

}  // extern "C"
