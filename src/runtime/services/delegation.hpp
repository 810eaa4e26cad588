// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls that nodes make for each other, where only the process that has something can use it: a
// file, a thread. A call may block, so workers make them (workers.hpp). The asker waits for a
// message.
#pragma once

#include "base/bytes.hpp"
#include "runtime/interface/node.hpp"

namespace weft {

enum class Delegated : std::uint8_t {
  kFile,     // libc/streams/forwarding.hpp. The bytes travel along, no memory does
  kThread,   // pthread/threads/elsewhere.hpp. Asking is a release and the answer is one: the other
             // acquires
  kProcess,  // process/requests/calls.hpp. Orders memory as kThread does
  kMaps,     // maps/sudden_ends.hpp. Orders memory as kThread does
  kHeap,     // api/allocation.cpp. Orders memory as kThread does
  kMutex,    // pthread/synchronisation/mutexes.cpp. Orders memory as kThread does
  kCount,
};

// Does what another node has asked for, and returns the answer. May block; not on a program stack.
using Perform = Bytes (*)(ByteView request);

// Serves the other nodes from now on. Once, before the program runs.
void serve_delegated(Node& node);
void perform_delegated(Delegated what, Perform perform);

// Asks another node, and waits. On the runtime stack.
[[nodiscard]] Bytes delegate(NodeId to, Delegated what, ByteView request);

}  // namespace weft
