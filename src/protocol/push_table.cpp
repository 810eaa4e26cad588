// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/push_table.hpp"

#include <algorithm>
#include <utility>

#include "protocol/bugs.hpp"
#include "protocol/page_runs.hpp"

namespace weft {
namespace {

// A page takes about a hundred bytes here: the table never takes more than some hundred megabytes.
constexpr std::size_t kMostPages = std::size_t{1} << 21;

}  // namespace

bool PushTable::Entry::has_copy(NodeId node) const {
  return std::ranges::find(copies, node) != copies.end();
}

PushTable::Subscription* PushTable::Entry::find(NodeId consumer, IntervalKey interval) {
  const auto place = std::ranges::find_if(subscriptions, [&](const Subscription& each) {
    return each.consumer == consumer && each.interval == interval;
  });
  return place == subscriptions.end() ? nullptr : &*place;
}

bool PushTable::subscribe(NodeId consumer, IntervalKey interval, PageIndex page) {
  if (pages_.size() >= kMostPages && !pages_.contains(page)) return false;
  const auto place = pages_.find(page);
  Subscription* const known =
      place == pages_.end() ? nullptr : place->second.find(consumer, interval);
  if (!known && is_reluctant({page, consumer, interval})) return false;
  Entry& entry = pages_[page];
  if (known) {
    known->ended = false;
  } else {
    entry.subscriptions.push_back({consumer, interval});
    served_.insert({consumer, interval});
  }
  if (!entry.has_copy(consumer)) entry.copies.push_back(consumer);
  return true;
}

bool PushTable::is_reluctant(const Place& place) {
  const auto known = disappointments_.find(place);
  if (known == disappointments_.end() || known->second.requests_to_pass == 0) return false;
  --known->second.requests_to_pass;
  return true;
}

void PushTable::note_ended(PageIndex page, const Subscription& ended) {
  constexpr std::uint32_t kMostEndings = 3;
  if (disappointments_.size() >= kMostPages) return;
  Disappointment& known = disappointments_[{page, ended.consumer, ended.interval}];
  if (known.endings < kMostEndings) ++known.endings;
  known.requests_to_pass = (1U << (2 * known.endings)) - 1;
}

void PushTable::unsubscribe(NodeId consumer, IntervalKey interval, PageIndex page) {
  const auto place = pages_.find(page);
  if (place == pages_.end()) return;
  if (Subscription* known = place->second.find(consumer, interval)) known->ended = true;
}

void PushTable::page_written(PageIndex page, NodeId keeper) {
  const auto place = pages_.find(page);
  if (place == pages_.end()) return;
  std::erase_if(place->second.copies, [&](NodeId node) { return node != keeper; });
  for (const Subscription& each : place->second.subscriptions) stale_[each.interval].insert(page);
}

bool PushTable::is_due(PageIndex page, IntervalKey interval) const {
  const auto place = pages_.find(page);
  if (place == pages_.end()) return false;
  const Entry& entry = place->second;
  return std::ranges::any_of(entry.subscriptions, [&](const Subscription& each) {
    return each.interval == interval && !each.ended && !entry.has_copy(each.consumer);
  });
}

std::map<NodeId, PushTable::Due> PushTable::take_due(IntervalKey interval) {
  std::map<NodeId, Due> due;
  const auto stale = stale_.find(interval);
  if (stale == stale_.end()) return due;
  for (const PageRange& range : std::exchange(stale->second, {}).ranges()) {
    for_each_page(range, [&](PageIndex page) { take_page(page, interval, due); });
  }
  std::erase_if(
      due, [](const auto& each) { return each.second.pages.empty() && each.second.ended.empty(); });
  return due;
}

bool PushTable::wants(NodeId consumer, IntervalKey interval, PageIndex page) const {
  const auto place = pages_.find(page);
  if (place == pages_.end()) return false;
  return std::ranges::any_of(place->second.subscriptions, [&](const Subscription& each) {
    return each.consumer == consumer && each.interval == interval && !each.ended;
  });
}

void PushTable::note_sent(NodeId consumer, PageIndex page) {
  const auto place = pages_.find(page);
  if (place == pages_.end() || place->second.has_copy(consumer)) return;
  place->second.copies.push_back(consumer);
}

std::vector<PageIndex> PushTable::due_since(NodeId consumer, IntervalKey interval,
                                            const PageSet& except, std::size_t most) const {
  std::vector<PageIndex> due;
  const auto stale = stale_.find(interval);
  if (stale == stale_.end()) return due;
  for (const PageRange& range : stale->second.ranges()) {
    for (PageIndex page = range.first; page < range.end(); ++page) {
      if (due.size() >= most) return due;
      const auto place = pages_.find(page);
      if (place == pages_.end() || except.contains(page)) continue;
      if (place->second.lacks(consumer, interval)) due.push_back(page);
    }
  }
  return due;
}

PushTable::Due PushTable::take_due_of(NodeId consumer, IntervalKey interval, const PageSet& except,
                                      std::size_t most) {
  Due due;
  if (due_since(consumer, interval, except, most + 1).size() > most) return due;
  const auto stale = stale_.find(interval);
  if (stale == stale_.end()) return due;
  for (const PageRange& range : stale->second.ranges()) {
    for_each_page(range, [&](PageIndex page) {
      const auto place = pages_.find(page);
      if (place == pages_.end() || except.contains(page)) return;
      const Subscription* const known = place->second.find(consumer, interval);
      if (!known) return;
      place->second.take(page, *known, due);
      if (!known->ended) return;
      note_ended(page, *known);
      std::vector<Subscription>& all = place->second.subscriptions;
      all.erase(all.begin() + (known - all.data()));
      if (all.empty()) pages_.erase(place);
    });
  }
  return due;
}

bool PushTable::Entry::lacks(NodeId consumer, IntervalKey interval) const {
  return !has_copy(consumer) && std::ranges::any_of(subscriptions, [&](const Subscription& each) {
    return each.consumer == consumer && each.interval == interval && !each.ended;
  });
}

void PushTable::Entry::take(PageIndex page, const Subscription& to, Due& due) {
  if (to.ended) {
    if (!WEFT_BUG(kEndPushesSilently)) due.ended.insert(page);
  } else if (!has_copy(to.consumer)) {
    due.pages.push_back(page);
    copies.push_back(to.consumer);
  }
}

void PushTable::take_page(PageIndex page, IntervalKey interval, std::map<NodeId, Due>& due) {
  const auto place = pages_.find(page);
  if (place == pages_.end()) return;  // it has left
  Entry& entry = place->second;
  for (const Subscription& each : entry.subscriptions) {
    if (each.interval == interval) entry.take(page, each, due[each.consumer]);
  }
  std::erase_if(entry.subscriptions, [&](const Subscription& each) {
    if (each.interval != interval || !each.ended) return false;
    note_ended(page, each);
    return true;
  });
  if (entry.subscriptions.empty()) pages_.erase(place);
}

}  // namespace weft
