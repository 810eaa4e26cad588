// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/tree/barrier_tree.hpp"

namespace weft {

BarrierTree::BarrierTree(std::uint16_t node_count, std::uint32_t arity) {
  for (std::uint16_t node = 1; node < node_count; ++node) {
    parents_.push_back(NodeId(static_cast<std::uint16_t>((node - 1U) / arity)));
  }
}

std::vector<NodeId> BarrierTree::children(NodeId node) const {
  std::vector<NodeId> children;
  for (std::size_t index = 0; index < parents_.size(); ++index) {
    if (parents_[index] == node) children.push_back(NodeId(static_cast<std::uint16_t>(index + 1)));
  }
  return children;
}

bool BarrierTree::is_below(NodeId node, NodeId root) const {
  while (node != root && node != NodeId(0)) node = parent(node);
  return node == root;
}

unsigned BarrierTree::depth(NodeId node) const {
  unsigned steps = 0;
  for (; node != NodeId(0); node = parent(node)) ++steps;
  return steps;
}

bool BarrierTree::joins(NodeId a, NodeId b) const {
  return (a != NodeId(0) && parent(a) == b) || (b != NodeId(0) && parent(b) == a);
}

}  // namespace weft
