// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a thread has of its own outside of shared memory: in the C library, in the C++ library, in
// the kernel and in Weft. When the thread goes on at another node, its carrier
// there has it from then on. Thread-local variables of the program are not among it, as they lie in
// shared memory at the thread's place.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/codec.hpp"
#include "pthread/load/stay.hpp"
#include "pthread/threads/interruptions.hpp"
#include "pthread/threads/keys.hpp"
#include "pthread/threads/thread_exits.hpp"
#include "runtime/interface/held_locks.hpp"
#include "runtime/interface/node.hpp"
#include "runtime/interface/thread_usage.hpp"

namespace weft::pthread {

struct Belongings {
  Interruptions interruptions;
  void* locale = nullptr;  // of uselocale; the same on all nodes
  // Of C++: the exceptions that are being handled, and how many are on their way.
  void* caught_exceptions = nullptr;
  unsigned uncaught_exceptions = 0;
  // Of C: the innermost pthread_cleanup_push; null if there is none.
  void* cleanup = nullptr;
  // As the program sees it (sigaltstack).
  void* signal_stack = nullptr;
  int signal_stack_flags = 0;
  std::uint64_t signal_stack_bytes = 0;
  std::int64_t policy = 0, priority = 0, niceness = 0;
  std::string name = {};
  NodeId node_for_threads{};
  Stay stay = {};
  ThreadUsage usage = {};
  std::vector<CarriedValue> values = {};
  std::vector<ThreadExit> exits = {};
  std::vector<CarriedLock> locks = {};
  WEFT_FIELDS(self.interruptions, self.locale, self.caught_exceptions, self.uncaught_exceptions,
              self.cleanup, self.signal_stack, self.signal_stack_flags, self.signal_stack_bytes,
              self.policy, self.priority, self.niceness, self.name, self.node_for_threads,
              self.stay, self.usage, self.values, self.exits, self.locks)
};

// Of the calling thread, which is secluded and leaves. On its runtime stack.
[[nodiscard]] Belongings pack(const Interruptions& interruptions);
// Of the calling thread, which has come and is secluded: all but its interruptions.
void unpack(const Belongings& belongings);

}  // namespace weft::pthread
