// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tree along which barriers and publications go (protocol/tree.md, 7). Node 0 is its root.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/ids.hpp"
#include "protocol/pages/page_table.hpp"

namespace weft {

class BarrierTree {
 public:
  // The tree at first: each node has up to `arity` children, in the order of their numbers.
  BarrierTree(std::uint16_t node_count, std::uint32_t arity);
  // The parents of nodes 1, 2, ...
  explicit BarrierTree(std::vector<NodeId> parents) : parents_(std::move(parents)) {}

  // kNoNode for node 0.
  [[nodiscard]] NodeId parent(NodeId node) const {
    return node == NodeId(0) ? kNoNode : parents_[node.value() - 1U];
  }
  // Ascending.
  [[nodiscard]] std::vector<NodeId> children(NodeId node) const;
  // A node is below itself.
  [[nodiscard]] bool is_below(NodeId node, NodeId root) const;
  // How many steps it is from the root.
  [[nodiscard]] unsigned depth(NodeId node) const;
  [[nodiscard]] bool joins(NodeId a, NodeId b) const;
  [[nodiscard]] const std::vector<NodeId>& parents() const { return parents_; }

 private:
  std::vector<NodeId> parents_;
};

}  // namespace weft
