// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "openmp/queries/partitions.hpp"

#include "base/addresses.hpp"
#include "include/weft/hints.h"
#include "runtime/hints/hints.hpp"
#include "runtime/interface/node.hpp"
#include "stacks/stacks.hpp"

namespace weft::openmp {
namespace {

// Pages of a node's share of the heap begin there, and leave it when another node writes them.
bool is_at_home(Node& node, const Hint& hint) {
  for (std::uintptr_t at = hint.first; at < hint.end(); at += kPageBytes) {
    const auto offset = node.offset_of(reinterpret_cast<const void*>(at));
    if (!offset || node.home_of(offset->page()) != node.self()) return false;
  }
  return true;
}

}  // namespace

void divide(void* pages, std::size_t bytes, Partition partition) {
  Node* const node = this_node();
  if (node == nullptr || partition == Partition::kEnvironment) return;
  Hint hint{.kind = HintKind::kHome,
            .first = reinterpret_cast<std::uintptr_t>(pages),
            .bytes = bytes,
            .distribution = partition == Partition::kBlocked ? WEFT_BLOCK : WEFT_CYCLIC,
            .unit_bytes = kPageBytes};
  on_runtime_stack([&, hint]() mutable {
    if (partition != Partition::kNearest) return say_hint_for_all(*node, hint);
    hint.distribution = node->self().value();
    if (!is_at_home(*node, hint)) say_hint(*node, hint);
  });
}

}  // namespace weft::openmp
