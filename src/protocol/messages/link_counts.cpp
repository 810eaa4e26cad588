// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/messages/link_counts.hpp"

#include <utility>

namespace weft {

void LinkCounts::end_epoch(std::size_t most) {
  for (const auto& [to, pages] : std::exchange(epoch_, {})) {
    if (pages.sent + pages.shared > most) continue;
    Link& link = links_[to];
    if (pages.sent > 0) ++link.sent;
    if (pages.shared > 0) ++link.shared;
  }
}

std::vector<Link> LinkCounts::take(NodeId self) {
  std::vector<Link> links;
  for (const auto& [to, link] : std::exchange(links_, {})) {
    links.push_back({.from = self, .to = to, .sent = link.sent, .shared = link.shared});
  }
  return links;
}

}  // namespace weft
