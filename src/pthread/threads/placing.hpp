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
#include <vector>

#include "base/codec.hpp"
#include "runtime/interface/node.hpp"

namespace weft::pthread {

// To node 0.
struct PlacingMessage {
  enum class What : std::uint8_t { kChoose, kBegins, kEnded, kMoved };
  using enum What;

  What what = kChoose;
  NodeId node{};                   // of kBegins, kEnded and kMoved
  NodeId to{};                     // of kMoved
  std::vector<NodeId> among = {};  // of kChoose: one of these; none: any
  WEFT_FIELDS(self.what, self.node, self.to, self.among)
};

// On every node, before the program runs.
void start_placing(Node& node);

// Where a new thread is to start: on one of these nodes, or any if there are none. It is counted
// there from now on. If there is a choice, another node than 0 waits for an answer. On the runtime
// stack.
[[nodiscard]] NodeId place_thread(std::vector<NodeId> among);

// A thread of that node has ended, or has not begun after all.
void count_out(NodeId node);

// A thread goes on at another node.
void count_move(NodeId from, NodeId to);

}  // namespace weft::pthread
