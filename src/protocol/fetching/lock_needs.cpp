// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/fetching/lock_needs.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "protocol/pages/travelling_pages.hpp"

namespace weft {
namespace {

// A lock that is for more than that is no lock for data, and a grant is not to hold others up.
constexpr std::uint64_t kMostPagesOfLock = 64;

}  // namespace

void LockNeeds::note_missed(PageIndex page) {
  for (const LockId lock : held_locks_) expect(lock, PageSet{PageRange{page, 1}});
}

void LockNeeds::expect(LockId lock, const PageSet& pages) {
  if (!carries_data(context_.config.lock_policy)) return;
  PageSet& learnt = learnt_[lock].pages;
  for (const PageRange& range : pages.ranges()) {
    const std::uint64_t known = learnt.page_count();
    if (known < kMostPagesOfLock)
      learnt.insert({range.first, std::min(range.count, kMostPagesOfLock - known)});
  }
  if (context_.config.lock_policy == LockPolicy::kWeft) let_travel(pages, carried_, access_);
}

void LockNeeds::note_touched(PageIndex page) {
  for (auto& [lock, learnt] : learnt_) learnt.held_back.erase(page);
}

PageSet LockNeeds::wanted(LockId lock) {
  const auto place = learnt_.find(lock);
  if (place == learnt_.end()) return {};
  Learnt& learnt = place->second;
  for (const PageRange& range : std::exchange(learnt.held_back, {}).ranges()) {
    context_.counters.carried_unused += range.count;
    learnt.pages.erase(range);
  }
  return learnt.pages;
}

// The first grant with pages, and ever fewer of the later ones.
bool LockNeeds::count_grant(LockId lock) {
  constexpr std::uint32_t kSeldom = 64;
  const std::uint32_t number = ++learnt_[lock].grants;
  return number % kSeldom == 0 ||
         (std::has_single_bit(number) && std::countr_zero(number) % 2 == 0);
}

}  // namespace weft
