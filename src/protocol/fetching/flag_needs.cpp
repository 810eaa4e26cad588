// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/fetching/flag_needs.hpp"

#include <utility>

#include "protocol/pages/travelling_pages.hpp"

namespace weft {
namespace {

// As many as diffs are kept of (CarriedDiffs).
constexpr std::size_t kMostFlagPages = 4096;

}  // namespace

void FlagNeeds::note_lost(const PageSet& pages) {
  if (std::exchange(epoch_, context_.epoch) != context_.epoch) lost_ = {};
  lost_.insert(pages);
}

bool FlagNeeds::learn(PageIndex page) {
  if (learnt_.contains(page) || order_.size() == kMostFlagPages) return false;
  learnt_.insert(page);
  order_.push_back(page);
  return true;
}

void FlagNeeds::note_missed(PageIndex page) {
  if (epoch_ != context_.epoch || !lost_.contains(page)) return;
  if (!context_.config.flags_carry_data()) return;
  if (learn(page)) let_travel(PageSet{PageRange{page, 1}}, carried_, access_);
}

PageSet FlagNeeds::untold(NodeId to) {
  PageSet pages;
  if (order_.empty()) return pages;
  std::size_t& told = told_[to];
  for (; told < order_.size(); ++told) pages.insert(order_[told]);
  return pages;
}

bool FlagNeeds::has_untold(NodeId to) const {
  const auto told = told_.find(to);
  return (told == told_.end() ? 0 : told->second) < order_.size();
}

PageSet FlagNeeds::note_told(NodeId from, const PageSet& pages) {
  PageSet news;
  if (pages.empty()) return news;
  std::size_t& told = told_[from];
  const bool knows_all = told == order_.size();
  for (const PageRange& range : pages.ranges()) {
    for_each_page(range, [&](PageIndex page) {
      if (learn(page)) news.insert(page);
    });
  }
  // They need not go back.
  if (knows_all) told = order_.size();
  return news;
}

}  // namespace weft
