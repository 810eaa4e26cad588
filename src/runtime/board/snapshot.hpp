// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a board says at one moment, as values that can be sent. How to get it:
//
//   const std::optional<NodeSnapshot> now = read_board(*file.board());
//
// LocalNodes::snapshot(node) does that for a node of this host. Nothing here blocks, and nothing
// that the node writes can make it fail: a board that is not one yields nothing, a thread whose
// slot makes no sense is left out, and one that changes as it is read counts as not waiting.
// Addresses are the node's, and so are the texts behind them: tools/weft/watch reads those.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/codec.hpp"
#include "runtime/board/board_layout.hpp"

namespace weft::board {

struct HeldLock {
  std::uint64_t lock = 0;  // its number (base/locks/lock_ids.hpp)
  std::uint64_t place = 0, address = 0;
  bool operator==(const HeldLock&) const = default;
  WEFT_FIELDS(self.lock, self.place, self.address)
};

struct ThreadSnapshot {
  std::uint32_t thread = 0;         // the kernel's number
  std::int64_t number = kNoNumber;  // in the OpenMP team that spans the nodes; see ThreadSlot
  bool is_wefts_own = false;   // a thread that serves the others, and runs nothing of the program
  bool is_waiting = false;     // in Weft; else it computes, or is elsewhere
  std::uint64_t progress = 0;  // changes whenever a wait begins or ends
  // Of the wait, where there is one. See ThreadSlot.
  WaitKind kind = WaitKind::kNone;
  bool ends_by_itself = false;
  std::uint64_t object = 0, place = 0, address = 0;
  std::int64_t asleep_ns = 0;  // CLOCK_MONOTONIC of its host; 0: it is awake
  std::vector<HeldLock> held;
  WEFT_FIELDS(self.thread, self.number, self.is_wefts_own, self.is_waiting, self.progress,
              self.kind, self.ends_by_itself, self.object, self.place, self.address, self.asleep_ns,
              self.held)
};

struct NodeSnapshot {
  unsigned node = 0;
  std::uint32_t process = 0;
  NodeState state = NodeState::kStarting;
  std::uint32_t epoch = 0;
  std::uint32_t threads_left_out = 0;  // that found no slot
  std::int64_t looked_ns = 0;          // when memory and counters were written; see BoardHeader
  std::int64_t now_ns = 0;             // CLOCK_MONOTONIC of its host, when this was read
  std::uint64_t memory_bytes = 0;
  std::uint64_t messages_sent = 0, messages_received = 0, bytes_sent = 0;  // at once
  // In the order of engine_counters(), which names them (protocol/interface/counters.hpp).
  std::vector<std::uint64_t> counters;
  std::vector<ThreadSnapshot> threads;
  WEFT_FIELDS(self.node, self.process, self.state, self.epoch, self.threads_left_out,
              self.looked_ns, self.now_ns, self.memory_bytes, self.messages_sent,
              self.messages_received, self.bytes_sent, self.counters, self.threads)
};

// Nothing until the node has begun to write, and if this is no board of this version.
[[nodiscard]] std::optional<NodeSnapshot> read_board(const Board& board);

// Whether a snapshot that came from elsewhere holds only numbers that there are.
[[nodiscard]] bool makes_sense(const NodeSnapshot& snapshot);

}  // namespace weft::board
