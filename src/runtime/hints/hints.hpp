// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hints of the program's about memory that its threads share (weft/hints.h): they are kept until
// they are due, and performed by what the node can do anyhow. Pages that come are prefetched
// (docs/internals/protocol/fetching.md, 28); those that go are as if this node had written them
// (docs/internals/hints.md). So a hint that is wrong costs time, and never the right answer.
//
// All of it is called on runtime stacks.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/hints/hint.hpp"
#include "runtime/interface/node.hpp"

namespace weft {

// The program says this. All of the memory is shared, and one piece.
void say_hint(Node& node, const Hint& hint);
// The same for all nodes at the next region, wherever it is said. Nodes other than 0 are not heard.
void say_hint_for_all(Node& node, const Hint& hint);
// What was said of any of this memory is void on this node.
void forget_hints(std::uintptr_t first, std::uintptr_t end);

// Node 0, before it begins a region that spans nodes: what the others are to hear with it.
[[nodiscard]] std::vector<Hint> hints_to_publish();

// A node's part of such a region.
class HintedRegion {
 public:
  HintedRegion(Node& node, std::span<const Hint> published);
  ~HintedRegion();
  HintedRegion(const HintedRegion&) = delete;
  HintedRegion& operator=(const HintedRegion&) = delete;
};

namespace detail {
inline std::atomic<bool> hints_wait{false};
void perform_waiting_hints(Node& node);
}  // namespace detail

// Behind each barrier of the region, while the node's threads wait. A load and a branch in programs
// without hints.
inline void perform_hints(Node& node) {
  if (detail::hints_wait.load(std::memory_order_relaxed)) detail::perform_waiting_hints(node);
}

}  // namespace weft
