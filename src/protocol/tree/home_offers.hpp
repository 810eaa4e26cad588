// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pages that several nodes write at a time, and whose home is in the wrong place
// (protocol/homes.md, 7). The parent of the other writers in the barrier's tree is in the right
// one: what they owe it comes with their arrivals, and what they get of it goes with their
// departures. It takes the page over in an epoch in which nobody writes it, as then its copy is the
// home's.
#pragma once

#include <vector>

#include "protocol/context/context.hpp"
#include "protocol/pages/page_table.hpp"
#include "protocol/tree/barrier_tree.hpp"

namespace weft {

class HomeOffers {
 public:
  HomeOffers(const Context& context, PageTable& table) : context_(context), table_(table) {}

  // An epoch ends in which these nodes, ascending, have written the page.
  void note_written(PageIndex page, NodeId home, const std::vector<NodeId>& writers,
                    const BarrierTree& tree);
  // This node arrives: the pages whose home it could be from the next epoch on.
  [[nodiscard]] PageSet offer() const;
  // The page has a new home.
  void forget(PageIndex page) { better_here_.erase(PageRange{page, 1}); }

 private:
  const Context& context_;
  PageTable& table_;
  PageSet better_here_;
};

// How many messages beside the barrier's own an epoch costs in which these nodes write a page with
// this home and want it back: a parent in the tree is sent what it is owed with the arrival, and
// sends the page with the departure; a child is sent the former with the departure.
[[nodiscard]] unsigned messages_beside(const BarrierTree& tree, NodeId home,
                                       const std::vector<NodeId>& writers);

// The one of these nodes, ascending, as whose page it costs least; of equals the first. All nodes
// ask for each page that many have written, so this takes no longer than to go through them.
[[nodiscard]] NodeId best_home(const BarrierTree& tree, const std::vector<NodeId>& writers);

// At node 0: what may be done of what was offered. Whatever anybody has written stays where it is.
[[nodiscard]] std::vector<Notice> accepted_offers(std::vector<Notice> offers,
                                                  const std::vector<Notice>& notices,
                                                  const std::vector<SettledNotice>& settled);

}  // namespace weft
