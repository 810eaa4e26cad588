// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The node on which a new thread of the program starts: the one with the fewest, the lowest of
// several; node 0 while threads are gathered there (pthread/gathering). Node 0 counts the program's
// threads of each node, main among its own; whether they compute or wait is not asked.
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

// On node 0: a thread will come to that node, and is counted there until count_out().
void expect_thread(NodeId node);

// A thread goes on at another node.
void count_move(NodeId from, NodeId to);

// On node 0: all threads that have a choice are to start there from now on, or no more. Any thread.
void gather_new_threads(bool gathers);
// On node 0: all threads are here or sleep, and none is about to begin elsewhere. If so, holds
// until end_rest(), for as long as new ones are gathered and may_wake() is asked.
[[nodiscard]] bool begin_rest();
[[nodiscard]] bool do_others_rest();
void end_rest();
// On node 0: a thread of another node sleeps until it is woken from here.
void count_asleep(NodeId node);
// It is to be woken, and counted as running. False: nodes rest, and must be told before.
[[nodiscard]] bool may_wake(NodeId node);
// On node 0, when they are gathered no more: the node to which one of its threads may go, so that
// there are as many on each; kNoNode: it may stay.
[[nodiscard]] NodeId emptier_node();

}  // namespace weft::pthread
