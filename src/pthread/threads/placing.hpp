// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The node on which a new thread of the program starts: the one with the fewest, the lowest of
// several. Node 0 counts the program's threads of each node, main among its own; whether they
// compute or wait is not asked.
//
//   maker, node k                  node 0                 the thread's node
//   place_thread ── kChoose ─────► counts it
//                ◄── the node ────
//                                  counts it out ◄─────── kEnded, before anybody can have joined it
//
// A thread that must start at a certain node is counted as well (kBegins), without waiting.
// Rejected: a count in shared memory. Its page would travel with each thread that begins or ends.
#pragma once

#include <cstdint>

#include "base/codec.hpp"
#include "runtime/interface/node.hpp"

namespace weft::pthread {

// To node 0.
struct PlacingMessage {
  enum class What : std::uint8_t { kChoose, kBegins, kEnded };
  using enum What;

  What what = kChoose;
  NodeId node{};  // of kBegins and kEnded
  WEFT_FIELDS(self.what, self.node)
};

// On every node, before the program runs.
void start_placing(Node& node);

// Where the calling thread's next thread is to start: at `wanted`, or, if that is kNoNode, where
// Weft chooses. It is counted there from now on. To choose, another node than 0 waits for an
// answer. On the runtime stack.
[[nodiscard]] NodeId place_thread(NodeId wanted);

// A thread of that node has ended, or has not begun after all.
void count_out(NodeId node);

}  // namespace weft::pthread
