// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the ends of epochs bring from this node to others, counted in messages that could travel in
// the barrier's own (protocol/tree.md, 7: the tree follows the data).
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/ids.hpp"
#include "protocol/messages/message.hpp"

namespace weft {

class LinkCounts {
 public:
  // In the epoch that ends: a page that one node alone wrote goes to that node.
  void note_sent(NodeId to) { ++epoch_[to].sent; }
  // That node has written a page that this one wrote, too.
  void note_shared(NodeId with) { ++epoch_[with].shared; }
  // The next one begins. More pages than `most` for one node do not go with the barrier.
  void end_epoch(std::size_t most);
  // What was counted since it was taken last.
  [[nodiscard]] std::vector<Link> take(NodeId self);

 private:
  struct Pages {
    std::size_t sent = 0, shared = 0;
  };

  std::map<NodeId, Pages> epoch_;
  std::map<NodeId, Link> links_;
};

}  // namespace weft
