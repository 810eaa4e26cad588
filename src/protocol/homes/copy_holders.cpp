// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/homes/copy_holders.hpp"

#include <algorithm>
#include <utility>

#include "protocol/interface/bugs.hpp"
#include "protocol/pages/page_runs.hpp"

namespace weft {
void CopyHolders::note(PageIndex page, NodeId node) {
  auto& [nodes, announced, anybody] = holders_[page];
  if (std::ranges::find(nodes, node) != nodes.end()) return;
  note_use(page, nodes.empty() && !anybody);
  if (nodes.size() - announced.value_or(0) <= kMostHolders) nodes.push_back(node);
}

// Of a page that was this node's alone nobody knows when it was written last.
void CopyHolders::note_use(PageIndex page, bool is_first) {
  Page& entry = table_.at(page);
  entry.use.note_given();
  if (is_first) entry.stale_since = context_.epoch;
}

void CopyHolders::note(const PageSet& pages, NodeId node) {
  for (const PageRange& range : pages.ranges()) {
    for_each_page(range, [&](PageIndex page) { note(page, node); });
  }
}

void CopyHolders::note_anybody(PageIndex page) {
  Holders& holders = holders_[page];
  note_use(page, holders.nodes.empty() && !holders.anybody);
  holders.anybody = true;
}

void CopyHolders::reset(PageIndex page, NodeId only) { holders_[page] = {{only}}; }

// A notice is settled if it changes nothing at a node that has no copy: the page's home alone wrote
// it, as it did the last two times, which all nodes know.
CopyHolders::Holders* CopyHolders::to_be_told(PageIndex page) {
  const Page& entry = table_.at(page);
  const NodeId self = context_.config.self;
  if (entry.state != PageState::kShared || entry.last_writer != self ||
      entry.writer_before != self) {
    return nullptr;
  }
  auto* const known = holders_.find(page);
  if (!known || known->is_incomplete()) return nullptr;
  return known;
}

const std::vector<NodeId>* CopyHolders::all_of(PageIndex page) const {
  static const std::vector<NodeId> kNobody;
  if (!all_told_.contains(page) && !WEFT_BUG(kRecallSparesPristine)) return nullptr;
  auto* const known = holders_.find(page);
  if (!known) return &kNobody;
  return known->is_incomplete() ? nullptr : &known->nodes;
}

void CopyHolders::note_recalled(const PageSet& pages, NodeId node) {
  for (const PageRange& range : pages.ranges()) {
    for_each_page(range, [&](PageIndex page) {
      auto* const known = holders_.find(page);
      if (!known) return;
      // Or others were told of it already.
      if (known->is_incomplete() || known->announced) return;
      std::erase(known->nodes, node);
      if (known->nodes.empty()) holders_.erase(page);
    });
  }
}

std::vector<SettledNotice> CopyHolders::announce(std::vector<Notice>& notices) {
  std::map<std::vector<NodeId>, PageSet> by_holders;
  for (Notice& notice : notices) {
    if (!context_.is_self(notice.writer)) continue;
    PageSet told;
    for (const PageRange& range : notice.pages.ranges()) {
      for_each_page(range, [&](PageIndex page) {
        Holders* const holders = to_be_told(page);
        if (!holders) return;
        by_holders[holders->nodes].insert(page);
        holders->announced = holders->nodes.size();
        told.insert(page);
      });
    }
    announced_.insert(told);
    for (const PageRange& range : told.ranges()) notice.pages.erase(range);
  }
  std::erase_if(notices, [](const Notice& notice) { return notice.pages.empty(); });
  std::vector<SettledNotice> settled;
  for (auto& [nodes, pages] : by_holders) {
    SettledNotice notice{context_.config.self, nodes, std::move(pages)};
    if (WEFT_BUG(kForgetHolder) && !nodes.empty()) notice.holders.pop_back();
    settled.push_back(std::move(notice));
  }
  return settled;
}

PageSet CopyHolders::settle(const std::vector<Notice>& to_all) {
  PageSet settled = std::exchange(announced_, {});
  if (settled.empty()) return settled;
  for (const Notice& notice : to_all) {
    for (const PageRange& range : notice.pages.ranges()) {
      for (const PageRange& both : settled.intersection(range)) {
        for_each_page(both, [&](PageIndex page) { holders_[page].announced.reset(); });
        settled.erase(both);
      }
    }
  }
  return settled;
}

bool CopyHolders::outlive_notice(PageIndex page) {
  auto* const known = holders_.find(page);
  if (!known) return false;
  Holders& holders = *known;
  const std::optional<std::size_t> told = std::exchange(holders.announced, std::nullopt);
  // A notice to all reaches everybody.
  const bool all = !told || (told == 0U && WEFT_BUG(kForgetFirstHolder));
  if (all || WEFT_BUG(kForgetLateHolder)) {
    holders.nodes.clear();
    holders.anybody = false;
  } else {
    holders.nodes.erase(holders.nodes.begin(),
                        holders.nodes.begin() + static_cast<std::ptrdiff_t>(*told));
  }
  if (!holders.nodes.empty() || holders.anybody) return true;
  holders_.erase(page);
  return false;
}

}  // namespace weft
