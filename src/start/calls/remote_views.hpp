// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What threads of this node know of the nodes whose registered memory they reach, so that an
// operation asks nobody: the nodes' tables, and the thread's place in each of them.
#pragma once

#include <atomic>

#include "base/remote/operation.hpp"
#include "base/remote/table.hpp"

namespace weft::remote {

inline constexpr int kMostViews = 64;  // of further nodes one asks each time
extern std::atomic<const View*> known_views[kMostViews];
extern constinit thread_local Place* own_places[kMostViews];

// Null: not known yet, or its memory cannot be reached, or there is no such node.
[[nodiscard]] inline const View* known_view(int node) {
  const bool may_be_known = static_cast<unsigned>(node) < unsigned{kMostViews};
  return may_be_known ? known_views[node].load(std::memory_order_acquire) : nullptr;
}
// The same, and asks. Null and WEFT_OK: by messages.
[[nodiscard]] const View* view_of(int node, int& error);

[[nodiscard]] Place* take_own_place(int node, Table& table);
// The calling thread's in that node's table, or null.
[[nodiscard]] inline Place* own_place(int node, Table& table) {
  if (static_cast<unsigned>(node) >= unsigned{kMostViews}) return nullptr;
  Place* const place = own_places[node];
  return place != nullptr ? place : take_own_place(node, table);
}

// This node's number.
[[nodiscard]] int self();

}  // namespace weft::remote
