// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a thread has begun by messages: a record for each call, until its operations are over and
// what came back stands where the program wants it. Messages are handled under the node's lock,
// where nobody may touch the program's memory: so what goes there is kept, and put there by the
// thread when it waits, tests or fences. Registered memory is filled at once.
//
// All fields change under the lock of links.cpp, but those that say otherwise.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "base/remote/operation.hpp"
#include "include/weft/remote.h"

namespace weft::remote {

struct Record;

// A thread's account.
struct ThreadAccount {
  std::atomic<std::uint32_t> under_way{0};  // records; read without the lock
  bool is_awaited = false;                  // the thread waits until that changes
  int first_error = WEFT_OK;                // of records without a request, since the last fence
  std::vector<Record*> to_settle;           // over, without a request, with data that came back
};

// Places of the program, and what belongs there.
struct Return {
  std::byte* near = nullptr;
  std::uint64_t stride = 0, bytes = 0, count = 0;
  Bytes data;
};

// A request of another node whose answer goes there when this node's part and all that it has
// passed on are over.
struct Passed {
  NodeId from;
  std::uint64_t id = 0;
  int error = WEFT_OK;
};

struct Record {
  static constexpr std::uint32_t kUnderWay = 0, kOver = 1;

  std::atomic<std::uint32_t> state{kUnderWay};  // read without the lock
  std::uint32_t operations = 1;  // that are not over; one more until the call has begun all
  bool has_request = false, is_awaited = false;
  int error = WEFT_OK;
  std::optional<Notice> notice;  // for this node, when it is over and settled
  std::vector<Return> returns;
  std::shared_ptr<ThreadAccount> account;
  std::optional<Passed> passed;  // then it is nobody's here

  void note(int what) {
    if (error == WEFT_OK) error = what;
  }
};

// The calling thread's.
[[nodiscard]] const std::shared_ptr<ThreadAccount>& account_here();
// Whether it has begun operations that it has not waited for, or not heard of an error of one.
[[nodiscard]] bool has_open_operations();

// With the lock: an operation of the record is over. What has been passed on and is over is
// returned.
std::optional<Passed> end_operation(Record& record, int error);
// Without the lock: puts what came back where it belongs, and does the notice. Of a record that is
// over, by its thread.
void settle(Record& record);

// Fills registered memory of this node. False: the place is elsewhere.
[[nodiscard]] bool fill_registered(const Return& place, ByteView data);
// A notice in this node's memory.
[[nodiscard]] int notify_here(const Notice& notice);
// An operation on this node's memory, which another node asks for.
[[nodiscard]] int perform_here(const Operation& operation);

}  // namespace weft::remote
