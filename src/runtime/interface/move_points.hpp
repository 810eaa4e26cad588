// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Points at which a thread may go on at another node: the beginnings of calls that it makes anyway.
// There nothing but the program is under way on it. A hook, as moving (src/pthread) knows what
// calls it and not the other way round.
#pragma once

#include <atomic>

#include "runtime/interface/node.hpp"

namespace weft {

// Null, unless Weft moves threads by itself. Set before the program runs.
inline constinit std::atomic<void (*)()> at_move_point{nullptr};

inline void pass_move_point() {
  if (auto* const act = at_move_point.load(std::memory_order_relaxed)) [[unlikely]]
    act();
}

// For a caller that has asked for its node before, which is of no use on another one.
[[nodiscard]] inline Node* pass_move_point(Node* node) {
  auto* const act = at_move_point.load(std::memory_order_relaxed);
  if (act == nullptr) [[likely]]
    return node;
  act();
  return this_node();
}

}  // namespace weft
