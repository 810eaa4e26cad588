// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "openmp/schedules/loop_share.hpp"

#include <algorithm>

#include "base/assert.hpp"

namespace weft::openmp {

std::uint32_t LoopShape::threads_of(NodeId node) const {
  const std::uint64_t first = std::uint64_t{node.value()} * threads_per_node;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(
      threads_per_node, team_size - std::min<std::uint64_t>(first, team_size)));
}

IterationSpan initial_share(const LoopShape& shape, NodeId node) {
  if (shape.monotonic)
    return node == NodeId(0) ? IterationSpan{0, shape.trip_count} : IterationSpan{};
  const std::uint64_t chunks =
      shape.trip_count / shape.chunk + (shape.trip_count % shape.chunk != 0 ? 1 : 0);
  // The first chunk of the share that starts with this thread of the team.
  const auto chunk_of = [&](std::uint64_t thread) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>(static_cast<Wide>(chunks) *
                                      std::min<std::uint64_t>(thread, shape.team_size) /
                                      shape.team_size);
  };
  const auto iteration_of = [&](std::uint64_t chunk) {
    return chunk == chunks ? shape.trip_count : chunk * shape.chunk;
  };
  const std::uint64_t first = std::uint64_t{node.value()} * shape.threads_per_node;
  return IterationSpan{iteration_of(chunk_of(first)),
                       iteration_of(chunk_of(first + shape.threads_per_node))};
}

IterationPool::IterationPool(const LoopShape& shape, NodeId node)
    : left_(initial_share(shape, node)),
      chunk_(shape.chunk),
      guided_(shape.guided),
      takers_(shape.monotonic ? shape.team_size : std::max(1U, shape.threads_of(node))) {}

IterationSpan IterationPool::take() {
  if (left_.empty()) return {};
  std::uint64_t size = chunk_;
  // Half of a fair part of what remains, as libomp's guided schedule; in whole chunks, which may be
  // the vectors of a simd loop.
  if (guided_) {
    size = std::max(chunk_, left_.size() / (2 * std::uint64_t{takers_}) / chunk_ * chunk_);
  }
  const IterationSpan taken{left_.begin, left_.begin + std::min(size, left_.size())};
  left_.begin = taken.end;
  return taken;
}

IterationSpan IterationPool::give_away() {
  if (left_.empty()) return {};
  const std::uint64_t chunks = left_.size() / chunk_ + (left_.size() % chunk_ != 0 ? 1 : 0);
  const std::uint64_t kept = chunks / 2 * chunk_;
  const IterationSpan given{left_.begin + kept, left_.end};
  left_.end = given.begin;
  return given;
}

void IterationPool::refill(IterationSpan span) {
  WEFT_ASSERT(left_.empty(), "a refill of a pool that holds [{}, {})", left_.begin, left_.end);
  left_ = span;
}

}  // namespace weft::openmp
