// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/tree/home_offers.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "protocol/interface/bugs.hpp"
#include "protocol/pages/page_runs.hpp"

namespace weft {

unsigned messages_beside(const BarrierTree& tree, NodeId home, const std::vector<NodeId>& writers) {
  unsigned messages = 0;
  for (const NodeId writer : writers) {
    if (writer == home || tree.parent(writer) == home) continue;
    messages += tree.parent(home) == writer ? 1 : 2;
  }
  return messages;
}

// Of messages_beside two are saved for each child that writes, and one if the parent does.
NodeId best_home(const BarrierTree& tree, const std::vector<NodeId>& writers) {
  std::map<NodeId, unsigned> saved;
  for (const NodeId writer : writers) {
    const NodeId parent = tree.parent(writer);
    if (parent == kNoNode) continue;
    saved[parent] += 2;
    if (std::ranges::binary_search(writers, parent)) ++saved[writer];
  }
  return *std::ranges::max_element(writers, {}, [&](NodeId node) { return saved[node]; });
}

void HomeOffers::note_written(PageIndex page, NodeId home, const std::vector<NodeId>& writers,
                              const BarrierTree& tree) {
  const auto messages = [&](NodeId node) { return messages_beside(tree, node, writers); };
  const NodeId self = context_.config.self;
  const bool is_better =
      writers.size() > 1 && best_home(tree, writers) == self && messages(self) < messages(home);
  if (is_better) {
    better_here_.insert(page);
  } else {
    better_here_.erase(PageRange{page, 1});
  }
}

PageSet HomeOffers::offer() const {
  PageSet offered;
  if (context_.config.home_policy == HomePolicy::kStay) return offered;
  for (const PageRange& range : better_here_.ranges()) {
    for_each_page(range, [&](PageIndex page) {
      const Page& entry = table_.at(page);
      if (entry.state == PageState::kValid && entry.mapped) offered.insert(page);
    });
  }
  return offered;
}

std::vector<Notice> accepted_offers(std::vector<Notice> offers, const std::vector<Notice>& notices,
                                    const std::vector<SettledNotice>& settled) {
  PageSet written;
  for (const Notice& notice : notices) written.insert(notice.pages);
  for (const SettledNotice& notice : settled) written.insert(notice.pages);
  for (Notice& offer : offers) {
    if (WEFT_BUG(kMoveHomeOfWritten)) break;
    for (const PageRange& range : written.ranges()) offer.pages.erase(range);
  }
  std::erase_if(offers, [](const Notice& offer) { return offer.pages.empty(); });
  return offers;
}

}  // namespace weft
