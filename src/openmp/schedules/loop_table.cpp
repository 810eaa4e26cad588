// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "openmp/schedules/loop_table.hpp"

#include <atomic>

#include "base/assert.hpp"
#include "base/signal_safe_mutex.hpp"

namespace weft::openmp {

class LoopTable::Loop {
 public:
  Loop(const LoopShape& loop_shape, NodeId node) : shape(loop_shape), pool(loop_shape, node) {}

  IterationSpan take() {
    const std::lock_guard guard(lock);
    return pool.take();
  }

  const LoopShape shape;
  SignalSafeMutex lock;  // guards the pool
  IterationPool pool;
  SignalSafeMutex asking;  // one thread of the node at a time asks the others
  bool exhausted = false;  // nobody had anything left; guarded by `asking`
  unsigned leavers = 0;    // guarded by the table's lock
  bool done = false;
};

LoopTable::LoopTable(NodeId self) : self_(self) {}
LoopTable::~LoopTable() = default;

void LoopTable::begin_region(std::uint64_t region, unsigned local_threads) {
  const std::lock_guard guard(lock_);
  watermark_ = LoopKey::of(region, 0);
  local_threads_ = local_threads;
  // Loops of this region may be here already, by requests from nodes that began it earlier.
  loops_.erase(loops_.begin(), loops_.lower_bound(watermark_));
}

LoopTable::Loop& LoopTable::find_or_make(LoopKey key, const LoopShape& shape) {
  std::unique_ptr<Loop>& loop = loops_[key];
  if (loop == nullptr) loop = std::make_unique<Loop>(shape, self_);
  WEFT_ASSERT(loop->shape == shape, "two threads disagree about loop {:#x}: {} and {} iterations",
              key.value, loop->shape.trip_count, shape.trip_count);
  return *loop;
}

LoopTable::Loop* LoopTable::enter(LoopKey key, const LoopShape& shape) {
  const std::lock_guard guard(lock_);
  WEFT_ASSERT(key >= watermark_, "loop {:#x} is entered after it was done", key.value);
  return &find_or_make(key, shape);
}

void LoopTable::leave(LoopKey key) {
  const std::lock_guard guard(lock_);
  Loop& loop = *loops_.at(key);
  if (++loop.leavers < local_threads_) return;
  WEFT_ASSERT(loop.pool.empty(), "all threads have left loop {:#x}, and iterations are left",
              key.value);
  loop.done = true;
  for (auto first = loops_.find(watermark_); first != loops_.end() && first->second->done;
       first = loops_.find(watermark_)) {
    loops_.erase(first);
    ++watermark_.value;
  }
}

void LoopTable::abandon(LoopKey key) {
  {
    const std::lock_guard guard(lock_);
    Loop& loop = *loops_.at(key);
    const std::lock_guard loop_guard(loop.lock);
    loop.pool.clear();
  }
  leave(key);
}

IterationSpan LoopTable::next(Loop& loop, const AskNode& ask) {
  const std::uint32_t nodes = loop.shape.nodes();
  if (loop.shape.monotonic) return self_ == NodeId(0) ? loop.take() : ask(NodeId(0));
  if (const IterationSpan span = loop.take(); !span.empty()) return span;

  const std::lock_guard guard(loop.asking);
  // Another thread of the node may have got some meanwhile.
  if (const IterationSpan span = loop.take(); !span.empty() || loop.exhausted) return span;
  for (std::uint32_t distance = 1; distance < nodes; ++distance) {
    const NodeId other(static_cast<NodeId::representation>((self_.value() + distance) % nodes));
    const IterationSpan given = ask(other);
    if (given.empty()) continue;
    const std::lock_guard pool_guard(loop.lock);
    loop.pool.refill(given);
    return loop.pool.take();
  }
  loop.exhausted = true;
  return {};
}

IterationSpan LoopTable::answer(LoopKey key, const LoopShape& shape) {
  const std::lock_guard guard(lock_);
  if (key < watermark_) return {};
  Loop& loop = find_or_make(key, shape);
  const std::lock_guard loop_guard(loop.lock);
  return shape.monotonic ? loop.pool.take() : loop.pool.give_away();
}

std::size_t LoopTable::size() const {
  const std::lock_guard guard(lock_);
  return loops_.size();
}

}  // namespace weft::openmp
