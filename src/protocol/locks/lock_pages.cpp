// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/locks/lock_pages.hpp"

#include <utility>

#include "protocol/interface/bugs.hpp"

namespace weft {

// --- the asker ---

PageSet LockPages::absent_of(const PageSet& wanted) const {
  PageSet absent;
  for (const PageRange& range : wanted.ranges()) {
    for_each_page(range, [&](PageIndex page) {
      if (table_.state_of(page) == PageState::kInvalid) absent.insert(page);
    });
  }
  return absent;
}

bool LockPages::may_install(NodeId from, PageIndex page) const {
  const Page* known = table_.find(page);
  if (!known || !known->has_known_home()) return false;
  const Page& entry = *known;
  // This node can no longer report a copy of which the home does not know.
  if (writes_.late.has_arrived() && entry.home != from) return false;
  // Its own writes since its last record are in no clock.
  return entry.state == PageState::kInvalid &&
         (!writes_.has_unrecorded(page) || WEFT_BUG(kCarryOverOwnWrites));
}

void LockPages::take(NodeId from, Epoch epoch, const LockGrant& grant) {
  if (grant.pages.empty()) return;
  if (epoch != context_.epoch) {
    context_.counters.carried_refused += grant.pages.size();
    return;
  }
  PageSet lacking;
  if (!WEFT_BUG(kCarryUnchecked)) lacking = coherence_.pages_beyond(grant.clock);
  const bool hold = needs_.count_grant(grant.lock);
  PageRuns mapped;
  for (const PageBytes& bytes : grant.pages) {
    if (lacking.contains(bytes.page) || !may_install(from, bytes.page)) {
      ++context_.counters.carried_refused;
      continue;
    }
    Page& entry = table_.at(bytes.page);
    ++context_.counters.carried_taken;
    WEFT_PROBE(context_, kCarriedPage);
    context_.memory.install(bytes.page, bytes.bytes);
    const bool awaited = std::exchange(entry.wanted, false);
    table_.turn(entry, bytes.page, PageEvent::kCarried);
    entry.lent = grant.lent.contains(bytes.page);
    entry.request = 0;
    entry.owed = false;
    streams_.note_bypass(entry.home);
    if (entry.home != from) writes_.passed_on.insert(bytes.page);
    if (hold && !awaited) {
      needs_.note_held_back(grant.lock, bytes.page);
    } else {
      mapped.add(bytes.page);
    }
  }
  for (const PageRange& range : mapped) {
    access_.map_tracked(range, Twin::kPresent);
    fetcher_.adopt(range);
  }
}

// --- who hands the lock over ---

bool LockPages::has_present_contents(PageIndex page) {
  Page& entry = table_.at(page);
  if (entry.state == PageState::kValid) return true;
  // A home may know of writes whose diffs it has not got.
  if (!entry.is_home() || !streams_.is_settled()) return false;
  if (entry.state == PageState::kExclusive) {
    table_.turn(entry, page, PageEvent::kGivenAway);
    if (entry.mapped) access_.start_tracking(PageRange{page, 1});
  }
  return true;
}

bool LockPages::carries() const { return carries_data(context_.config.lock_policy); }

// Diffs alone make no page. If nobody tells of the page in this epoch, its home must know who has
// copies. (The asker may know already of whoever wrote it, by another lock.)
void LockPages::add_absent(const PageSet& absent, PageSet& lacking) {
  if (absent.empty()) return;
  const PageSet& written = coherence_.written_pages();
  for (const PageRange& range : absent.ranges()) {
    for_each_page(range, [&](PageIndex page) {
      if (written.contains(page) || table_.at(page).is_home() || WEFT_BUG(kPassOnSilently)) {
        lacking.insert(page);
      }
    });
  }
}

void LockPages::add_pages(LockGrant& grant, const LockForward& to) {
  if (to.wanted.empty()) return;
  PageSet lacking;
  for (const Record& record : grant.records) lacking.insert(record.pages);
  const PageSet covered = covered_pages(grant.records, grant.carried);
  for (const PageRange& range : covered.ranges()) lacking.erase(range);
  if (to.asker_epoch == context_.epoch) add_absent(to.absent, lacking);
  PageSet wanted = to.wanted;
  if (context_.config.lock_policy != LockPolicy::kWeft) {
    for (const PageRange& range : grant.bound.ranges()) wanted.erase(range);
    const PageSet unbound = std::exchange(wanted, to.wanted);
    for (const PageRange& range : unbound.ranges()) wanted.erase(range);
  }
  for (const PageRange& range : wanted.ranges()) {
    for (const PageRange& both : lacking.intersection(range)) {
      for_each_page(both, [&](PageIndex page) {
        if (!has_present_contents(page)) return;
        if (table_.at(page).is_home()) holders_.note(page, to.asker);
        grant.pages.push_back({page, access_.shown_contents(page)});
        const bool is_lent = table_.at(page).lent && !table_.at(page).is_home();
        if (is_lent && !WEFT_BUG(kForgetLent)) grant.lent.insert(page);
      });
    }
  }
  if (grant.pages.empty()) return;
  grant.clock = coherence_.clock();
  context_.counters.pages_carried += grant.pages.size();
}

}  // namespace weft
