// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of Coherence that is about diffs which travel with locks, and updates which need not be
// sent because of them (protocol/locks.md, 15).
#include <algorithm>
#include <utility>

#include "protocol/interface/bugs.hpp"
#include "protocol/intervals/coherence.hpp"
#include "protocol/pages/travelling_pages.hpp"

namespace weft {
namespace {

// With so much deferred for one home it is sent. One piece to the networks, as other updates are.
constexpr std::size_t kMostDeferred = 28 * 1024;

}  // namespace

// A diff is of use to others only if it is all that the interval changed in the page.
Coherence::Carried Coherence::carried_part(const Diffs& diffs, const PageSet& sent_before) const {
  Carried part;
  part.complete = true;
  for (const auto& [page, diff] : diffs) {
    const bool is_whole = !sent_before.contains(page) && !writes_.interval.at_home.contains(page);
    if (carried_.travels(page) && (is_whole || WEFT_BUG(kCarryPartOfDiff))) {
      part.update.diffs.emplace_back(page, diff);
    } else {
      part.complete = false;
    }
  }
  return part;
}

bool Coherence::sends_at_once(NodeId home, const Carried& part) const {
  return !part.complete || merged_.count(home) > 0 ||
         updates_.deferred().bytes(home) + part.update.bytes() > kMostDeferred;
}

// Sends what has to be sent. What is kept is among `carried` afterwards. True if an update is
// deferred.
bool Coherence::release_diffs(const DiffsByHome& diffs, const PageSet& sent_before, bool with_lock,
                              CarriedByHome& carried) {
  bool any_deferred = false;
  for (const auto& [home, pages] : diffs) {
    Carried part = carried_part(pages, sent_before);
    if (writes_.late.has_arrived() || !with_lock || sends_at_once(home, part)) {
      part.complete = false;
      updates_.send_diffs(home, pages, false, true);
    } else {
      part.update.sequence = streams_.next_to(home, true);
      part.update.after = streams_.order_at(home);
      updates_.deferred().defer(home, part.update);
      ++context_.counters.updates_deferred;
      WEFT_PROBE(context_, kDeferredUpdate);
      any_deferred = true;
    }
    if (!part.update.diffs.empty() && !writes_.late.has_arrived())
      carried.emplace(home, std::move(part));
  }
  return any_deferred;
}

// What this node writes in pages homed here travels, too.
void Coherence::learn_carried(const PageSet& pages) {
  let_travel(pages, carried_, access_);
  // This node's notices are made. Pages that are mapped later have a twin from the first.
  if (writes_.late.has_arrived()) return;
  for (const PageRange& range : pages.ranges()) {
    for_each_page(range, [&](PageIndex page) {
      const Page* entry = table_.find(page);
      if (!entry || entry->state != PageState::kShared || !entry->mapped) return;
      if (access_.has_home_twin(page)) return;
      take_home_twin(page);
    });
  }
}

// What was written before is in no diff from this twin, and what is written between the two is
// found by neither tracking, but in the contents.
void Coherence::take_home_twin(PageIndex page) {
  const ByteView contents = context_.memory.contents(page);
  const Bytes before(contents.begin(), contents.end());
  context_.memory.collect_written(PageRange{page, 1}, writes_.collected);
  access_.take_home_twin(page);
  const bool changed = !std::ranges::equal(before, context_.memory.contents(page));
  if ((writes_.collected.contains(page) && !WEFT_BUG(kLateHomeTwin)) ||
      (changed && !WEFT_BUG(kMissHomeWrite))) {
    writes_.note_here(page);
  }
}

void Coherence::take_home_diff(PageIndex page, Diffs& diffs) {
  if (!access_.has_home_twin(page)) return;
  Bytes diff = updates_.make_diff(page);
  if (!diff.empty()) diffs.emplace_back(page, std::move(diff));
}

// What is in the notices of an epoch is no difference in the next.
void Coherence::reset_home_twins(const PageSet& written) {
  if (WEFT_BUG(kOldHomeDiff)) return;
  for (const PageRange& range : written.ranges()) {
    for_each_page(range, [&](PageIndex page) {
      if (access_.has_home_twin(page)) (void)context_.memory.make_diff(page);
    });
  }
}

std::vector<CarriedUpdate> Coherence::carried_with(const std::vector<Record>& records) const {
  if (!carries_data(context_.config.lock_policy)) return {};
  return carried_.of(records);
}

std::vector<CarriedUpdate> Coherence::carried_with_operation(
    NodeId to, const std::vector<Record>& records) const {
  if (!context_.config.flags_carry_data() || records.empty()) return {};
  std::vector<CarriedUpdate> carried = carried_.of(records);
  std::erase_if(carried,
                [to](const CarriedUpdate& each) { return each.home == to && !each.complete; });
  return carried;
}

PageSet Coherence::unknown_pages(const std::vector<Record>& records) const {
  PageSet pages;
  for (const Record& record : records) {
    if (record.number > clock_at(log_.clock(), record.writer)) pages.insert(record.pages);
  }
  return pages;
}

std::optional<Coherence::Acquired> Coherence::acquire(Epoch epoch,
                                                      const std::vector<Record>& records,
                                                      const std::vector<CarriedUpdate>& carried) {
  if (epoch != context_.epoch || writes_.late.has_arrived()) {
    apply_records(epoch, records, {});
    return std::nullopt;
  }
  std::vector<Record> news;
  for (const Record& record : records) {
    if (record.number > clock_at(log_.clock(), record.writer)) news.push_back(record);
  }
  Acquired acquired{log_.clock(), patchable(covered_pages(news, carried), news)};
  apply_records(epoch, records, acquired.patched);
  return acquired;
}

std::optional<Update> Coherence::take_carried(const Acquired& acquired,
                                              const CarriedUpdate& carried) {
  const bool is_new = carried.interval > clock_at(acquired.before, carried.writer);
  if (is_new || WEFT_BUG(kPatchAgain)) patch(carried, acquired.patched);
  // Diffs of an interval that was known without them would stand behind those that follow them.
  if (is_new || WEFT_BUG(kKeepLateDiff)) carried_.add(carried);
  if (!context_.is_self(carried.home) || !carried.complete) return std::nullopt;
  return Update{.sequence = carried.sequence,
                .final = false,
                .after = carried.after,
                .merged = {},
                .diffs = carried.diffs};
}

// Those of these pages of which this node has a copy that diffs can complete, mapped or held back.
// A copy that its home has lent may have what no diff of the home's undoes.
PageSet Coherence::patchable(const PageSet& covered, const std::vector<Record>& news) const {
  PageSet pages;
  for (const PageRange& range : covered.ranges()) {
    for_each_page(range, [&](PageIndex page) {
      const Page* entry = table_.find(page);
      if (!entry || entry->state != PageState::kValid) return;
      const bool home_wrote = std::ranges::any_of(news, [&](const Record& record) {
        return record.writer == entry->home && record.pages.contains(page);
      });
      if (entry->lent && home_wrote && !WEFT_BUG(kPatchLent)) return;
      pages.insert(page);
    });
  }
  return pages;
}

void Coherence::patch(const CarriedUpdate& update, const PageSet& patched) {
  for (const PageBytes& diff : update.diffs) {
    if (!patched.contains(diff.page)) continue;
    const bool held_back = !table_.at(diff.page).mapped;
    if (held_back && WEFT_BUG(kSpareHeldBack)) continue;
    if (held_back || WEFT_BUG(kPatchAsOwn)) {
      context_.memory.apply_diff(diff.page, diff.bytes);
    } else {
      context_.memory.patch_diff(diff.page, diff.bytes);
    }
    ++context_.counters.diffs_carried;
    WEFT_PROBE(context_, kCarriedDiff);
    if (!WEFT_BUG(kPatchUnordered)) streams_.note_bypass(update.home);
  }
}

}  // namespace weft
