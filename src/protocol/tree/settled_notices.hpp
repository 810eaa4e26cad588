// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The way of settled notices: up the barrier's tree to its root, and down to the nodes that hold
// copies and no others. So what a barrier carries grows with what is shared and by whom, not with
// the number of nodes times that (protocol/homes.md, 7).
#pragma once

#include <map>
#include <vector>

#include "protocol/messages/message.hpp"
#include "protocol/tree/barrier_tree.hpp"

namespace weft {

// At the root, with the notices of all nodes: a page that another node has written or reported too
// is told to all. `to_all` is by writer.
void tell_all_of_disputed(std::vector<SettledNotice>& settled, std::map<NodeId, PageSet>& to_all);

// Those of which somebody in the subtree of `root` is to be told.
[[nodiscard]] std::vector<SettledNotice> for_subtree(const std::vector<SettledNotice>& settled,
                                                     NodeId root, const BarrierTree& tree);

// Adds those that this node is to be told of.
void add_own(const std::vector<SettledNotice>& settled, NodeId self, std::vector<Notice>& notices);

}  // namespace weft
