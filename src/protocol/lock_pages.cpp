// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/lock_pages.hpp"

#include <bit>
#include <utility>

#include "protocol/bugs.hpp"

namespace weft {
namespace {

// A lock that is for more than that is no lock for data, and a grant is not to hold others up.
constexpr std::uint64_t kMostPages = 64;

}  // namespace

void LockPages::note_missed(PageIndex page) {
  if (context_.config.lock_policy != LockPolicy::kCarry) return;
  for (const LockId lock : held_locks_) {
    Learnt& learnt = learnt_[lock];
    if (learnt.pages.page_count() < kMostPages) learnt.pages.insert(page);
  }
}

void LockPages::note_touched(PageIndex page) {
  for (auto& [lock, learnt] : learnt_) learnt.held_back.erase(page);
}

// --- the asker ---

PageSet LockPages::wanted(LockId lock) {
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
bool LockPages::is_sample(const Learnt& learnt) const {
  constexpr std::uint32_t kSeldom = 64;
  const std::uint32_t number = learnt.grants;
  return number % kSeldom == 0 ||
         (std::has_single_bit(number) && std::countr_zero(number) % 2 == 0);
}

bool LockPages::may_install(NodeId from, PageIndex page) const {
  const Page* known = table_.find(page);
  if (!known || !known->has_known_home()) return false;
  const Page& entry = *known;
  // This node can no longer report a copy of which the home does not know.
  if (coherence_.has_arrived() && entry.home != from) return false;
  // Its own writes since its last record are in no clock.
  return entry.state == PageState::kInvalid &&
         (!coherence_.has_unrecorded_writes(page) || WEFT_BUG(kCarryOverOwnWrites));
}

void LockPages::take(NodeId from, Epoch epoch, const LockGrant& grant) {
  if (grant.pages.empty()) return;
  if (epoch != context_.epoch) {
    context_.counters.carried_refused += grant.pages.size();
    return;
  }
  PageSet lacking;
  if (!WEFT_BUG(kCarryUnchecked)) lacking = coherence_.pages_beyond(grant.clock);
  Learnt& learnt = learnt_[grant.lock];
  ++learnt.grants;
  const bool hold = is_sample(learnt);
  PageRuns mapped;
  for (const PageBytes& bytes : grant.pages) {
    if (lacking.contains(bytes.page) || !may_install(from, bytes.page)) {
      ++context_.counters.carried_refused;
      continue;
    }
    Page& entry = table_.at(bytes.page);
    ++context_.counters.carried_taken;
    context_.memory.install(bytes.page, bytes.bytes);
    const bool awaited = std::exchange(entry.wanted, false);
    entry.state = PageState::kValid;
    entry.request = 0;
    entry.owed = false;
    streams_.note_bypass(entry.home);
    if (entry.home != from) coherence_.count_passed_on(bytes.page);
    if (hold && !awaited) {
      learnt.held_back.insert(bytes.page);
    } else {
      mapped.add(bytes.page);
    }
  }
  for (const PageRange& range : mapped) {
    access_.map_tracked(range, Base::kPresent);
    on_mapped(range);
  }
}

// --- who hands the lock over ---

bool LockPages::has_present_contents(PageIndex page) {
  Page& entry = table_.at(page);
  if (entry.state == PageState::kValid) return true;
  // A home may know of writes whose diffs it has not got.
  if (!entry.is_home() || !streams_.is_settled()) return false;
  if (entry.state == PageState::kExclusive) {
    entry.state = PageState::kShared;
    if (entry.mapped) access_.start_tracking(PageRange{page, 1});
  }
  return true;
}

void LockPages::add_pages(LockGrant& grant, NodeId asker, const PageSet& wanted) {
  if (wanted.empty()) return;
  PageSet lacking;
  for (const Record& record : grant.records) lacking.insert(record.pages);
  for (const PageRange& range : wanted.ranges()) {
    for (const PageRange& both : lacking.intersection(range)) {
      for_each_page(both, [&](PageIndex page) {
        if (!has_present_contents(page)) return;
        if (table_.at(page).is_home()) holders_.note(page, asker);
        grant.pages.push_back({page, context_.memory.contents(page)});
      });
    }
  }
  if (grant.pages.empty()) return;
  grant.clock = coherence_.clock();
  context_.counters.pages_carried += grant.pages.size();
}

}  // namespace weft
