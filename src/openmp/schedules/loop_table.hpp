// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dynamic loops that are in flight on this node. Several may be (nowait); each has a key that
// is the same on all nodes. A loop comes into the table when its first local thread enters it or
// when another node asks for some of it, whichever is first, and leaves when all local threads are
// through. After that its key is below the watermark or marked done, and requests for it get
// nothing: no loop is ever computed anew, so that no iteration runs twice.
//
// Lock order: table, then loop. Neither is held while anything blocks or shared memory is touched,
// so that requests may be answered under the node's lock.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>

#include "base/signal_safe_mutex.hpp"
#include "openmp/schedules/loop_share.hpp"

namespace weft::openmp {

// The n-th dynamic loop of a parallel region; regions are numbered through the job.
struct LoopKey {
  std::uint64_t value = 0;
  static constexpr unsigned kLoopBits = 36;
  static LoopKey of(std::uint64_t region, std::uint64_t loop) {
    return LoopKey{(region << kLoopBits) | loop};
  }
  auto operator<=>(const LoopKey&) const = default;
};

// Asks another node for iterations; blocks; empty if it has none.
using AskNode = std::function<IterationSpan(NodeId node)>;

class LoopTable {
 public:
  class Loop;

  explicit LoopTable(NodeId self);
  ~LoopTable();

  // A region begins in which `local_threads` threads of this node take part.
  void begin_region(std::uint64_t region, unsigned local_threads);
  // A local thread enters the loop; the pointer is good until that thread calls leave().
  [[nodiscard]] Loop* enter(LoopKey key, const LoopShape& shape);
  // The next chunk for a thread of this node; asks other nodes once it has run out. Empty: the
  // loop has nothing left for this thread.
  [[nodiscard]] IterationSpan next(Loop& loop, const AskNode& ask);
  void leave(LoopKey key);
  // Leaves it while iterations are left, which nobody needs any more: the loop is cancelled.
  void abandon(LoopKey key);
  // Another node asks: for one chunk of a monotonic loop, or for the upper half of another.
  [[nodiscard]] IterationSpan answer(LoopKey key, const LoopShape& shape);

  [[nodiscard]] std::size_t size() const;

 private:
  Loop& find_or_make(LoopKey key, const LoopShape& shape);

  const NodeId self_;
  mutable SignalSafeMutex lock_;
  std::map<LoopKey, std::unique_ptr<Loop>> loops_;
  LoopKey watermark_;  // every loop below is done
  unsigned local_threads_ = 1;
};

}  // namespace weft::openmp
