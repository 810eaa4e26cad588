// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/board/snapshot.hpp"

#include <algorithm>

#include "base/futex.hpp"
#include "runtime/board/board.hpp"

namespace weft::board {
namespace {

void read_wait(const ThreadSlot& slot, ThreadSnapshot& thread) {
  thread.kind = static_cast<WaitKind>(slot.kind.load(kRelaxed));
  thread.ends_by_itself = slot.ends_by_itself.load(kRelaxed) != 0;
  thread.object = slot.object.load(kRelaxed);
  thread.place = slot.place.load(kRelaxed);
  thread.address = slot.address.load(kRelaxed);
  thread.asleep_ns = slot.asleep_ns.load(kRelaxed);
}

void read_held(const ThreadSlot& slot, ThreadSnapshot& thread) {
  const std::size_t count =
      std::min<std::size_t>(slot.held_count.load(std::memory_order_acquire), kMostHeld);
  for (std::size_t each = 0; each < count; ++each) {
    const HeldSlot& held = slot.held[each];
    thread.held.push_back(
        {held.lock.load(kRelaxed), held.place.load(kRelaxed), held.address.load(kRelaxed)});
  }
}

// Nothing of a slot that nobody has, or that is not one.
std::optional<ThreadSnapshot> read_thread(const ThreadSlot& slot) {
  ThreadSnapshot thread;
  thread.thread = slot.thread.load(std::memory_order_acquire);
  if (thread.thread == 0) return std::nullopt;
  thread.number = slot.number.load(kRelaxed);
  thread.is_wefts_own = slot.is_wefts_own.load(kRelaxed) != 0;
  thread.progress = slot.progress.load(std::memory_order_acquire);
  read_wait(slot, thread);
  read_held(slot, thread);
  std::atomic_thread_fence(std::memory_order_acquire);
  const bool is_one_wait = slot.progress.load(kRelaxed) == thread.progress;
  thread.is_waiting = is_one_wait && is_odd(thread.progress);
  if (!thread.is_waiting) {
    thread.kind = WaitKind::kNone;
    thread.ends_by_itself = false;
    thread.object = thread.place = thread.address = 0;
    thread.asleep_ns = 0;
  }
  if (static_cast<std::size_t>(thread.kind) >= kWaitKindCount) return std::nullopt;
  return thread;
}

}  // namespace

std::optional<NodeSnapshot> read_board(const Board& board) {
  const BoardHeader& header = board.header;
  if (header.magic.load(std::memory_order_acquire) != kMagic ||
      header.version.load(kRelaxed) != kVersion || header.bytes.load(kRelaxed) != sizeof(Board) ||
      header.counter_count.load(kRelaxed) != kCounterCount ||
      header.state.load(kRelaxed) >= kNodeStateCount) {
    return std::nullopt;
  }
  NodeSnapshot snapshot;
  snapshot.node = header.node.load(kRelaxed);
  snapshot.process = header.process.load(kRelaxed);
  snapshot.state = static_cast<NodeState>(header.state.load(kRelaxed));
  snapshot.epoch = header.epoch.load(kRelaxed);
  snapshot.threads_left_out = header.slots_wanted.load(kRelaxed);
  snapshot.looked_ns = header.looked_ns.load(kRelaxed);
  snapshot.now_ns = now_ns();
  snapshot.memory_bytes = header.memory_bytes.load(kRelaxed);
  snapshot.messages_sent = header.sent.load(kRelaxed);
  snapshot.messages_received = header.received.load(kRelaxed);
  snapshot.bytes_sent = header.bytes_sent.load(kRelaxed);
  for (std::size_t each = 0; each < kCounterCount; ++each) {
    snapshot.counters.push_back(header.counters[each].load(kRelaxed));
  }
  const std::size_t used =
      std::min<std::size_t>(header.slots_used.load(std::memory_order_acquire), kMostThreads);
  for (std::size_t each = 0; each < used; ++each) {
    if (auto thread = read_thread(board.threads[each])) {
      snapshot.threads.push_back(*std::move(thread));
    }
  }
  return makes_sense(snapshot) ? std::optional(std::move(snapshot)) : std::nullopt;
}

bool makes_sense(const NodeSnapshot& snapshot) {
  const auto is_thread = [](const ThreadSnapshot& each) {
    return each.thread != 0 && each.held.size() <= kMostHeld && each.number >= kBetweenRegions &&
           static_cast<std::size_t>(each.kind) < kWaitKindCount;
  };
  return static_cast<std::size_t>(snapshot.state) < kNodeStateCount &&
         snapshot.counters.size() == kCounterCount && snapshot.threads.size() <= kMostThreads &&
         std::ranges::all_of(snapshot.threads, is_thread);
}

}  // namespace weft::board
