// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Node 0 chooses the barrier's tree by who sends data to whom when epochs end (protocol/tree.md,
// 7): between a node and its parent that goes in the barrier's own messages. So does what two nodes
// write together if one is the other's parent, or node 0 is the parent of both: then the page can
// have its home there.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "protocol/messages/message.hpp"
#include "protocol/tree/barrier_tree.hpp"

namespace weft {

class TreeShaper {
 public:
  // `barriers` go by from one choice to the next.
  TreeShaper(std::uint16_t node_count, std::uint32_t most_children, std::uint32_t barriers)
      : node_count_(node_count), most_children_(most_children), barriers_(barriers) {}

  void count(const std::vector<Link>& links);
  // Long contributions go to the root by the shortest way, once and for all.
  void note_long_contributions() { is_fixed_ = true; }
  // The tree by which most of what was counted could have gone, if it saves at least a message for
  // each barrier. `first` is the tree that stands when nothing is known; it is the flattest, so it
  // is back once it does no worse than the present one, twice in a row: a loop of many barriers has
  // some in which it makes no difference.
  [[nodiscard]] std::optional<BarrierTree> choose(const BarrierTree& present,
                                                  const BarrierTree& first);

 private:
  // Between two nodes; along a tree.
  [[nodiscard]] std::uint64_t weight(NodeId a, NodeId b) const;
  [[nodiscard]] std::uint64_t weight(const BarrierTree& tree) const;
  [[nodiscard]] BarrierTree heaviest_tree() const;

  std::uint16_t node_count_;
  std::uint32_t most_children_, barriers_;
  struct Traffic {
    std::uint64_t sent = 0, shared = 0;
  };
  std::map<std::pair<NodeId, NodeId>, Traffic> traffic_;  // the lower number first
  bool is_fixed_ = false;
  bool first_was_as_good_ = false;
};

}  // namespace weft
