// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/tree/settled_notices.hpp"

#include <algorithm>

#include "protocol/interface/bugs.hpp"

namespace weft {
void tell_all_of_disputed(std::vector<SettledNotice>& settled, std::map<NodeId, PageSet>& to_all) {
  if (settled.empty() || WEFT_BUG(kSettleDisputed)) return;
  PageSet others;
  for (const auto& [writer, pages] : to_all) others.insert(pages);
  for (SettledNotice& notice : settled) {
    for (const PageRange& range : notice.pages.ranges()) {
      for (const PageRange& both : others.intersection(range)) {
        notice.pages.erase(both);
        to_all[notice.writer].insert(both);
      }
    }
  }
  std::erase_if(settled, [](const SettledNotice& notice) { return notice.pages.empty(); });
}

std::vector<SettledNotice> for_subtree(const std::vector<SettledNotice>& settled, NodeId root,
                                       const BarrierTree& tree) {
  std::vector<SettledNotice> below;
  for (const SettledNotice& notice : settled) {
    SettledNotice part{notice.writer, {}, {}};
    for (const NodeId holder : notice.holders) {
      if (tree.is_below(holder, root)) part.holders.push_back(holder);
    }
    if (part.holders.empty()) continue;
    part.pages = notice.pages;
    below.push_back(std::move(part));
  }
  return below;
}

void add_own(const std::vector<SettledNotice>& settled, NodeId self, std::vector<Notice>& notices) {
  for (const SettledNotice& notice : settled) {
    if (std::ranges::find(notice.holders, self) == notice.holders.end()) continue;
    notices.push_back({notice.writer, notice.pages});
  }
}

}  // namespace weft
