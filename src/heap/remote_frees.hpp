// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks that a node frees and another owns. The freeing node gathers them for their owner in an
// Outbox; the owner keeps those that arrive in a Quarantine until they are safe to use again.
//
// Why not at once? The freeing node may have written to the block, and those writes are on their
// way by the protocol, not by our message: a diff of them that reaches the home late would destroy
// what the owner's next user of the block has written. At the end of the epoch in which the message
// was sent, the owner has acquired all of them. So every message carries its sender's epoch, and
// its blocks are used again when the owner's epoch is a later one.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "base/codec.hpp"
#include "base/ids.hpp"
#include "base/signal_safe_mutex.hpp"

namespace weft::heap {

struct FreeMessage {
  std::uint32_t epoch = 0;
  std::vector<std::uintptr_t> blocks;
  WEFT_FIELDS(self.epoch, self.blocks)
};

// Thread-safe.
class Outbox {
 public:
  explicit Outbox(unsigned node_count) : blocks_(node_count) {}

  // Remembers a block, and returns what must be sent to the owner now (mostly nothing). A block of
  // whole pages does not wait for others.
  [[nodiscard]] std::vector<std::uintptr_t> add(NodeId owner, std::uintptr_t block);
  // Everything that waits for this owner.
  [[nodiscard]] std::vector<std::uintptr_t> take(NodeId owner);
  [[nodiscard]] bool empty() const { return count_.load(std::memory_order_relaxed) == 0; }

 private:
  SignalSafeMutex mutex_;
  std::vector<std::vector<std::uintptr_t>> blocks_;  // by owner
  std::atomic<std::size_t> count_ = 0;
};

class Quarantine {
 public:
  Quarantine() = default;
  ~Quarantine();
  Quarantine(const Quarantine&) = delete;
  Quarantine& operator=(const Quarantine&) = delete;

  struct Freed {
    std::uintptr_t block = 0;
    std::uint32_t epoch = 0;
    NodeId by;
  };
  // Never waits: it is called by whoever drives the node, perhaps on behalf of a thread that was
  // stopped by a page fault in the middle of the heap.
  void arrive(NodeId by, FreeMessage message);
  // What was freed in epochs before `epoch`.
  [[nodiscard]] std::vector<Freed> take_before(std::uint32_t epoch);

 private:
  struct Arrival {
    NodeId by;
    FreeMessage message;
    Arrival* next;
  };
  std::atomic<Arrival*> arrivals_ = nullptr;
  std::atomic<std::uint64_t> settled_epoch_ = 0;  // nothing waits that was freed before it
  std::atomic<bool> waiting_empty_ = true;
  SignalSafeMutex mutex_;
  std::vector<Freed> waiting_;
};

}  // namespace weft::heap
