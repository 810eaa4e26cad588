// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/pushing/push_table.hpp"

#include <algorithm>
#include <utility>

#include "protocol/interface/bugs.hpp"
#include "protocol/pages/page_runs.hpp"

namespace weft {
namespace {

// A page takes about a hundred bytes here: the table never takes more than some hundred megabytes.
constexpr std::size_t kMostPushed = std::size_t{1} << 21;

}  // namespace

bool PushTable::Entry::has_copy(NodeId node) const {
  return std::ranges::find(copies, node) != copies.end();
}

const PushTable::Subscription* PushTable::Entry::find(NodeId consumer, PhaseKey phase) const {
  const auto place = std::ranges::find_if(subscriptions, [&](const Subscription& each) {
    return each.consumer == consumer && each.phase == phase;
  });
  return place == subscriptions.end() ? nullptr : &*place;
}

PushTable::Subscription* PushTable::Entry::find(NodeId consumer, PhaseKey phase) {
  return const_cast<Subscription*>(std::as_const(*this).find(consumer, phase));
}

const PushTable::Entry* PushTable::find_here(PageIndex page) const {
  const Entry* const entry = pages_.find(page);
  return entry && !entry->absence ? entry : nullptr;
}

PushTable::Entry* PushTable::find_here(PageIndex page) {
  return const_cast<Entry*>(std::as_const(*this).find_here(page));
}

std::optional<Rhythm> PushTable::subscribe(NodeId consumer, PhaseKey phase, PageIndex page) {
  if (pages_.size() >= kMostPushed && !pages_.contains(page)) return std::nullopt;
  Entry* const entry_before = pages_.find(page);
  Subscription* known = entry_before ? entry_before->find(consumer, phase) : nullptr;
  if (known) {
    note_asked_again(*known);
  } else {
    const std::optional<Rhythm> rhythm = rhythm_for({page, consumer, phase});
    if (!rhythm) return std::nullopt;
    std::vector<Subscription>& all = pages_[page].subscriptions;
    known = &all.emplace_back(Subscription{consumer, phase, *rhythm});
    served_.insert({consumer, phase});
  }
  Entry& entry = pages_[page];
  if (!entry.has_copy(consumer)) entry.copies.push_back(consumer);
  entry.writes = 0;
  // Who asks again has lost what it was sent before.
  known->promised = !known->ended;
  if (known->ended) return std::nullopt;
  return known->rhythm;
}

// A rhythm in which the page does not come when it is needed, in two cycles in a row, is none.
void PushTable::note_asked_again(Subscription& known) const {
  const Rhythm& rhythm = known.rhythm;
  if (rhythm.period == 1) {
    known.ended = false;
    return;
  }
  const std::uint32_t now = beginnings_.present(known.phase);
  if (rhythm.includes(now)) return;
  const std::uint32_t cycle = rhythm.cycle(now + rhythm.period - rhythm.offset);
  const std::uint32_t before = std::exchange(known.stray_cycle, cycle);
  known.ended |= before != 0 && cycle == before + 1;
}

std::optional<Rhythm> PushTable::rhythm_for(const Place& place) {
  const auto known = disappointments_.find(place);
  if (known == disappointments_.end()) return Rhythm();
  Disappointment& so_far = known->second;
  const std::uint32_t now = beginnings_.present(std::get<PhaseKey>(place));
  const std::optional<Rhythm> rhythm = so_far.requests.asked(now, rhythm_proof_);
  if (rhythm && !so_far.of_rhythm) return rhythm;
  if (so_far.requests_to_pass == 0) return rhythm.value_or(Rhythm());
  --so_far.requests_to_pass;
  return std::nullopt;
}

void PushTable::note_ended(PageIndex page, const Subscription& ended) {
  constexpr std::uint32_t kMostEndings = 3;
  if (disappointments_.size() >= kMostPushed) return;
  Disappointment& known = disappointments_[{page, ended.consumer, ended.phase}];
  if (known.endings < kMostEndings) ++known.endings;
  known.requests_to_pass = (1U << (2 * known.endings)) - 1;
  known.of_rhythm = ended.rhythm.period > 1;
}

void PushTable::unsubscribe(NodeId consumer, PhaseKey phase, PageIndex page) {
  auto* const entry = pages_.find(page);
  if (!entry) return;
  if (Subscription* known = entry->find(consumer, phase)) known->ended = true;
}

void PushTable::page_written(PageIndex page, NodeId keeper) {
  auto* const entry = pages_.find(page);
  if (!entry) return;
  entry->absence.note_move(/*is_here=*/true);
  ++entry->writes;
  std::erase_if(entry->copies, [&](NodeId node) { return node != keeper; });
  for (Subscription& each : entry->subscriptions) {
    each.promised = false;
    const std::uint32_t beginning = each.rhythm.first_from(beginnings_.next(each.phase));
    stale_[each.phase][beginning].insert(page);
  }
}

void PushTable::page_moved(PageIndex page) {
  auto* const entry = pages_.find(page);
  if (!entry) return;
  entry->absence.note_move(/*is_here=*/false);
  if (entry->absence.is_long() || WEFT_BUG(kForgetAway)) {
    pages_.erase(page);
    return;
  }
  entry->copies.clear();
  for (Subscription& each : entry->subscriptions) each.promised = false;
}

std::optional<std::uint32_t> PushTable::writes_since_given(PageIndex page) const {
  const Entry* const entry = find_here(page);
  if (!entry) return std::nullopt;
  const bool in_each_turn = std::ranges::any_of(entry->subscriptions, [](const Subscription& each) {
    return !each.ended && each.rhythm.period == 1;
  });
  return in_each_turn ? std::optional(entry->writes) : std::nullopt;
}

bool PushTable::is_due_to(const Entry& entry, const Subscription& each, PhaseKey phase) const {
  return each.phase == phase && !each.ended && !entry.has_copy(each.consumer) &&
         each.rhythm.includes(beginnings_.next(phase));
}

bool PushTable::is_due(PageIndex page, PhaseKey phase) const {
  auto* const entry = find_here(page);
  if (!entry) return false;
  return std::ranges::any_of(entry->subscriptions, [&](const Subscription& each) {
    return is_due_to(*entry, each, phase);
  });
}

PageSet PushTable::stale(PhaseKey phase) const {
  const auto by_beginning = stale_.find(phase);
  if (by_beginning == stale_.end()) return {};
  const auto due = by_beginning->second.find(beginnings_.next(phase));
  return due == by_beginning->second.end() ? PageSet() : due->second;
}

std::map<NodeId, PushTable::Due> PushTable::take_due(PhaseKey phase) {
  std::map<NodeId, Due> due;
  const PageSet pages = stale(phase);
  if (pages.empty()) return due;
  stale_[phase].erase(beginnings_.next(phase));
  for (const PageRange& range : pages.ranges()) {
    for_each_page(range, [&](PageIndex page) { take_page(page, phase, due); });
  }
  std::erase_if(
      due, [](const auto& each) { return each.second.pages.empty() && each.second.ended.empty(); });
  return due;
}

bool PushTable::wants(NodeId consumer, PhaseKey phase, PageIndex page) const {
  auto* const entry = find_here(page);
  if (!entry) return false;
  const Subscription* const known = entry->find(consumer, phase);
  return known && !known->ended && known->rhythm.includes(beginnings_.next(phase));
}

std::vector<NodeId> PushTable::wanting(NodeId consumer, PhaseKey phase, PageIndex page,
                                       bool lacking) const {
  std::vector<NodeId> nodes;
  const Rhythm rhythm = rhythm_of(consumer, phase, page);
  auto* const entry = find_here(page);
  if (!entry) return nodes;
  for (const Subscription& each : entry->subscriptions) {
    if (each.phase != phase || each.ended || each.rhythm != rhythm) continue;
    if (!lacking || !entry->has_copy(each.consumer)) nodes.push_back(each.consumer);
  }
  return nodes;
}

Rhythm PushTable::rhythm_of(NodeId consumer, PhaseKey phase, PageIndex page) const {
  auto* const entry = find_here(page);
  if (!entry) return {};
  const Subscription* const known = entry->find(consumer, phase);
  return known ? known->rhythm : Rhythm();
}

void PushTable::note_sent(NodeId consumer, PageIndex page) {
  auto* const entry = find_here(page);
  if (!entry) return;
  for (Subscription& each : entry->subscriptions) each.promised |= each.consumer == consumer;
  if (entry->has_copy(consumer)) return;
  entry->copies.push_back(consumer);
  entry->writes = 0;
}

std::vector<PageIndex> PushTable::due_since(NodeId consumer, PhaseKey phase, const PageSet& except,
                                            std::size_t most) const {
  std::vector<PageIndex> due;
  const PageSet pages = stale(phase);
  for (const PageRange& range : pages.ranges()) {
    for (PageIndex page = range.first; page < range.end(); ++page) {
      if (due.size() >= most) return due;
      auto* const entry = find_here(page);
      if (!entry || except.contains(page)) continue;
      const Subscription* const known = entry->find(consumer, phase);
      if (known && is_due_to(*entry, *known, phase)) due.push_back(page);
    }
  }
  return due;
}

PushTable::Due PushTable::take_due_of(NodeId consumer, PhaseKey phase, const PageSet& except,
                                      std::size_t most) {
  Due due;
  if (due_since(consumer, phase, except, most + 1).size() > most) return due;
  const PageSet pages = stale(phase);
  for (const PageRange& range : pages.ranges()) {
    for_each_page(range, [&](PageIndex page) {
      auto* const entry = find_here(page);
      if (!entry || except.contains(page)) return;
      Subscription* const known = entry->find(consumer, phase);
      if (!known || !known->rhythm.includes(beginnings_.next(phase))) return;
      if (!entry->take(page, *known, due)) return;
      note_ended(page, *known);
      std::vector<Subscription>& all = entry->subscriptions;
      all.erase(all.begin() + (known - all.data()));
      if (all.empty()) pages_.erase(page);
    });
  }
  return due;
}

// While something is on its way that begins the subscription anew, its end would come too early.
bool PushTable::Entry::take(PageIndex page, Subscription& to, Due& due) {
  if (to.ended) {
    if (to.promised && !WEFT_BUG(kEndWhileSent)) return false;
    if (!WEFT_BUG(kEndPushesSilently)) due.ended.insert(page);
    return true;
  }
  if (has_copy(to.consumer)) return false;
  due.pages.push_back(page);
  copies.push_back(to.consumer);
  writes = 0;
  to.promised = true;
  return false;
}

void PushTable::take_page(PageIndex page, PhaseKey phase, std::map<NodeId, Due>& due) {
  auto* const entry = find_here(page);
  if (!entry) return;  // it is away
  const std::uint32_t beginning = beginnings_.next(phase);
  std::erase_if(entry->subscriptions, [&](Subscription& each) {
    const bool is_now = each.phase == phase && each.rhythm.includes(beginning);
    if (!is_now || !entry->take(page, each, due[each.consumer])) return false;
    note_ended(page, each);
    return true;
  });
  if (entry->subscriptions.empty()) pages_.erase(page);
}

}  // namespace weft
