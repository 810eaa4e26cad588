// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A node at a moment, as the process that started it sees it: from /proc, and from the node's
// board. Nothing is asked of the node, so a node that hangs is seen, too.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

#include "base/codec.hpp"
#include "runtime/board/snapshot.hpp"

namespace weft {

enum class ProcessPhase : std::uint8_t { kUnknown, kRunning, kStopped, kEnded };

struct ObservedNode {
  unsigned number = 0;  // in the job
  pid_t pid = 0;
  ProcessPhase phase = ProcessPhase::kUnknown;
  std::uint64_t memory_bytes = 0;  // that it occupies on its host
  std::uint64_t processor_ms = 0;  // that it has used
  // Nothing where it shows nothing: before it has joined the job, or without Weft's library.
  std::optional<board::NodeSnapshot> board;
  WEFT_FIELDS(self.number, self.pid, self.phase, self.memory_bytes, self.processor_ms, self.board)
};

}  // namespace weft
