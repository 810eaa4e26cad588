// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/pushing/subscriptions.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "protocol/interface/bugs.hpp"

namespace weft {
namespace {

// The first push, and ever fewer of the later ones, down to one in 64.
bool is_sample(std::uint32_t number) {
  constexpr std::uint32_t kSeldom = 64;
  return number % kSeldom == 0 ||
         (std::has_single_bit(number) && std::countr_zero(number) % 2 == 0);
}

// What one page shows of its use, it shows of others around it, once each of them has been seen to
// be used: a fault for each would cost more than it tells.
constexpr std::int64_t kBlockPages = 16;

}  // namespace

void Subscriptions::add(PageIndex page, PhaseKey phase, NodeId home, Rhythm rhythm) {
  std::vector<Subscription>& all = pages_[page];
  const auto known =
      std::ranges::find_if(all, [&](const Subscription& each) { return each.is_for(phase, home); });
  if (known == all.end()) {
    all.push_back({phase, home, rhythm});
  } else {
    known->rhythm = rhythm;
  }
}

void Subscriptions::end(PageIndex page, PhaseKey phase, NodeId home) {
  auto* const all = pages_.find(page);
  if (!all) return;
  std::erase_if(*all, [&](const Subscription& each) { return each.is_for(phase, home); });
  if (all->empty()) pages_.erase(page);
}

void Subscriptions::page_lost(PageIndex page, NodeId home, bool moved) {
  auto* const all = pages_.find(page);
  if (!all) return;
  if (moved) {
    for (Subscription& each : *all) each.absence.note_move(each.home == home);
    std::erase_if(*all, [](const Subscription& each) { return each.absence.is_long(); });
  }
  for (const Subscription& each : *all) {
    if (each.absence && !WEFT_BUG(kExpectWhileAway)) continue;
    const std::uint32_t next = beginnings_.next(each.phase);
    const bool any = WEFT_BUG(kExpectOffBeat);
    lost_[each.phase][any ? next : each.rhythm.first_from(next)].insert(page);
  }
  if (all->empty()) pages_.erase(page);
}

PageSet Subscriptions::take_due(PhaseKey phase) {
  const auto by_beginning = lost_.find(phase);
  if (by_beginning == lost_.end()) return {};
  const std::uint32_t now = beginnings_.next(phase);
  const auto lost = by_beginning->second.extract(now);
  if (lost.empty()) return {};
  PageSet due;
  for (const PageRange& range : lost.mapped().ranges()) {
    for (PageIndex page = range.first; page < range.end(); ++page) {
      const Subscription* const known = find(page, phase);
      if (known && (known->rhythm.includes(now) || WEFT_BUG(kExpectOffBeat))) due.insert(page);
    }
  }
  return due;
}

bool Subscriptions::hold_back(PageIndex page, PhaseKey phase, bool may) {
  Subscription* const known = find(page, phase);
  if (!known) return false;
  const bool is_due = is_sample(++known->pushes) || known->doubted;
  if (!is_due || !may) return false;
  held_[page] = phase;
  return true;
}

const Subscriptions::Subscription* Subscriptions::find(PageIndex page, PhaseKey phase) const {
  auto* const all = pages_.find(page);
  if (!all) return nullptr;
  const auto known = std::ranges::find_if(*all, [phase](const Subscription& each) {
    return each.phase == phase && (!each.absence || WEFT_BUG(kExpectWhileAway));
  });
  return known == all->end() ? nullptr : &*known;
}

Subscriptions::Subscription* Subscriptions::find(PageIndex page, PhaseKey phase) {
  return const_cast<Subscription*>(std::as_const(*this).find(page, phase));
}

// Its first push was used, and the last one that was held back.
bool Subscriptions::is_proven(PageIndex page, PhaseKey phase) const {
  const Subscription* const known = find(page, phase);
  return known && known->pushes > 1 && !known->doubted;
}

PageSet Subscriptions::shown_by(PageIndex page) const {
  const auto touched = held_.find(page);
  if (touched == held_.end()) return {};
  const PhaseKey phase = touched->second;
  PageSet shown;
  shown.insert(page);
  if (!is_proven(page, phase)) return shown;
  const PageIndex first(page.value() / kBlockPages * kBlockPages);
  for (auto place = held_.lower_bound(first);
       place != held_.end() && place->first < first.plus(kBlockPages); ++place) {
    if (place->second == phase && is_proven(place->first, phase)) shown.insert(place->first);
  }
  return shown;
}

bool Subscriptions::note_used(PageIndex page) {
  const auto place = held_.find(page);
  if (place == held_.end()) return false;
  if (Subscription* const known = find(page, place->second)) known->doubted = false;
  held_.erase(place);
  return true;
}

bool Subscriptions::doubt(PageIndex page, PhaseKey phase) {
  Subscription* const known = find(page, phase);
  return known && std::exchange(known->doubted, true);
}

std::optional<PhaseKey> Subscriptions::take_unused(PageIndex page) {
  const auto place = held_.find(page);
  if (place == held_.end()) return std::nullopt;
  const PhaseKey phase = place->second;
  held_.erase(place);
  return phase;
}

}  // namespace weft
