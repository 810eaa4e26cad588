// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the iterations of a dynamic loop are shared out. Each node first owns a contiguous
// share, in proportion to its threads; its threads take chunks from the low end; a node that has
// run out is given the upper half of what another has left. Shares are a pure function of the
// loop's shape, so whoever hears of the loop first, by a thread or by a request, computes the same.
//
// A monotonic loop cannot be stolen from (a thread's chunks must ascend), nor a guided one (each
// chunk is a part of all that is left): all of it is node 0's, and the other nodes ask there for
// each chunk.
//
// Iterations are numbered from 0 here; the caller maps them to the loop's own values.
#pragma once

#include <cstdint>

#include "base/codec.hpp"
#include "base/ids.hpp"

namespace weft::openmp {

// The iterations [begin, end).
struct IterationSpan {
  std::uint64_t begin = 0, end = 0;
  WEFT_FIELDS(self.begin, self.end)
  [[nodiscard]] bool empty() const { return begin >= end; }
  [[nodiscard]] std::uint64_t size() const { return empty() ? 0 : end - begin; }
  bool operator==(const IterationSpan&) const = default;
};

struct LoopShape {
  std::uint64_t trip_count = 0;
  std::uint64_t chunk = 1;  // at least 1
  bool guided = false;
  bool monotonic = false;
  std::uint32_t team_size = 1;         // threads of the whole team
  std::uint32_t threads_per_node = 1;  // the last node of the team may have fewer
  WEFT_FIELDS(self.trip_count, self.chunk, self.guided, self.monotonic, self.team_size,
              self.threads_per_node)
  bool operator==(const LoopShape&) const = default;

  [[nodiscard]] std::uint32_t nodes() const {
    return (team_size + threads_per_node - 1) / threads_per_node;
  }
  [[nodiscard]] std::uint32_t threads_of(NodeId node) const;
};

// What `node` owns at the loop's start. Boundaries are on whole chunks.
[[nodiscard]] IterationSpan initial_share(const LoopShape& shape, NodeId node);

// What one node has left of a loop. Not thread-safe.
class IterationPool {
 public:
  IterationPool() = default;
  IterationPool(const LoopShape& shape, NodeId node);

  // The next chunk for a thread, from the low end; empty if nothing is left.
  [[nodiscard]] IterationSpan take();
  // The upper half for another node, in whole chunks, at least one; empty if nothing is left.
  [[nodiscard]] IterationSpan give_away();
  // What another node gave; only while empty.
  void refill(IterationSpan span);
  void clear() { left_ = {}; }
  [[nodiscard]] bool empty() const { return left_.empty(); }

 private:
  IterationSpan left_;
  std::uint64_t chunk_ = 1;
  bool guided_ = false;
  std::uint32_t takers_ = 1;  // threads that take from this pool
};

}  // namespace weft::openmp
