// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a program asks of a thread of another node: to join it, to cancel it, to send it a signal;
// or of that node, to make one. That node's process alone can; it is asked
// (runtime/services/delegation.hpp), and what either side wrote before is seen by the other. So a
// thread is joined as it would be in one process.
#pragma once

#include <pthread.h>

#include <cstdint>

#include "base/codec.hpp"
#include "runtime/interface/node.hpp"

namespace weft::pthread {

enum class ThreadCall : std::uint8_t {
  kJoin,       // the value is the thread's result
  kTryJoin,    // the same
  kJoinUntil,  // the same; a: the clock, bytes: a timespec
  kDetach,
  kCancel,
  kKill,           // a: the signal
  kQueueSignal,    // a: the signal, b: its value
  kAttributes,     // bytes come back: ThreadAttributes
  kSetAffinity,    // bytes: the set
  kAffinity,       // a: the size of the set that comes back
  kSetName,        // bytes: the name, with its end
  kName,           // a: the size of the name that comes back
  kSetScheduling,  // a: the policy, bytes: a sched_param
  kScheduling,     // the value is the policy, a sched_param comes back
  kSetPriority,    // a
  // Of a node, without an id.
  kProcessors,   // bytes come back: NodeProcessors
  kCreate,       // bytes: a ThreadBirth; the value is the id
  kEquip,        // bytes: CarrierWanted (carriers.hpp)
  kAwaitOthers,  // until the node has no threads of the program but main; the value is how many it
                 // has ever had
};

struct ThreadRequest {
  ThreadCall call = {};
  std::int64_t a = 0, b = 0;
  ByteView bytes = {};
  WEFT_FIELDS(self.call, self.a, self.b, rest(self.bytes))
};

// As it travels.
struct ThreadQuestion {
  pthread_t id = {};  // as the program sees it
  ThreadRequest request;
  WEFT_FIELDS(self.id, self.request)
};

struct ThreadAnswer {
  int error = 0;  // as the POSIX function returns it
  std::uint64_t value = 0;
  Bytes bytes = {};
  WEFT_FIELDS(self.error, self.value, rest(self.bytes))
};

// What pthread_getattr_np tells that can be told to another process.
struct ThreadAttributes {
  void* stack;
  std::uint64_t stack_bytes, guard_bytes;
  int detach_state;
};

// Whether only the node on which the thread runs now can do it. All the rest its home does, the
// node that made it.
[[nodiscard]] bool is_where_it_runs(ThreadCall call);

// Asks a node about a thread, as the program calls it, and waits. On the runtime stack.
[[nodiscard]] ThreadAnswer ask_about_thread(NodeId node, pthread_t id,
                                            const ThreadRequest& request);

// At the thread's home: the same, wherever it is now.
[[nodiscard]] ThreadAnswer follow_thread(pthread_t id, const ThreadRequest& request);

// Answers other nodes from now on; once, before the program runs.
void serve_threads();

}  // namespace weft::pthread
