// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A node's hints that wait for their moment, which is one of three:
//
//   said                               broadcast, scatter, home     gather, alltoall
//   outside of regions, on node 0      the next region begins       that region's first barrier
//   in a region, by each node          at once                      the node's next barrier
//
// read_mostly is due as broadcast, and stands from then on, until it is forgotten. All threads of a
// node may say the same: it counts once between two barriers.
//
// Not thread-safe.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "runtime/hints/hint.hpp"

namespace weft {

class WaitingHints {
 public:
  // Of each kind of waiting so many are kept; then the oldest goes. To lose a hint costs time.
  static constexpr std::size_t kMost = 1024;

  // The program says this. True: it is due now.
  [[nodiscard]] bool say(const Hint& hint, bool in_region);
  // What is said of any of this memory is void from now on, on this node.
  void forget(std::uintptr_t first, std::uintptr_t end);

  // Node 0, before a region begins: what all nodes are to hear.
  [[nodiscard]] std::vector<Hint> take_published();
  // Every node, when it has begun. Returns those that are due.
  [[nodiscard]] std::vector<Hint> begin_region(std::span<const Hint> published);
  // Behind each of its barriers; the same.
  [[nodiscard]] std::vector<Hint> pass_barrier();
  // Due at each of these moments, if pages have been lost since the last.
  [[nodiscard]] const std::vector<Hint>& standing() const { return standing_; }

  // Whether there is anything to do at the next barrier.
  [[nodiscard]] bool empty() const {
    return said_.empty() && for_barrier_.empty() && standing_.empty();
  }

 private:
  using Hints = std::vector<Hint>;

  static bool waits_for_barrier(const Hint& hint) {
    return hint.kind == HintKind::kGather || hint.kind == HintKind::kAllToAll;
  }
  // False if it is there already.
  static bool add(Hints& hints, const Hint& hint);
  Hints for_region_;
  Hints for_barrier_;
  Hints said_;  // and done, since the last barrier
  Hints standing_;
};

}  // namespace weft
