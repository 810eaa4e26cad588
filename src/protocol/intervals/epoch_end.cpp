// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How an epoch ends for what this node has written (protocol/epochs.md, 7): the notices that it
// brings to a barrier, and what it carries over into the next epoch.
#include <utility>

#include "base/assert.hpp"
#include "protocol/interface/bugs.hpp"
#include "protocol/intervals/coherence.hpp"

namespace weft {

// What is found is collected for the arrival, or for the interval's record. What was promised to a
// home (16) counts as written there.
bool Coherence::has_written_nothing(PhaseKey phase) {
  writes_.collected.insert(access_.collect_at_rest(phase));
  return !writes_.has_any() && merged_.empty();
}

std::vector<Notice> Coherence::close_epoch(PhaseKey phase, bool others_here, bool tells_heard) {
  // The interval stays open: until the epoch ends, a lock that was released before may still leave
  // this node and needs a record.
  writes_.late.arrive(others_here);
  writes_.collected.insert(others_here ? access_.collect_written()
                                       : access_.collect_at_rest(phase));
  writes_.epoch.here.insert(writes_.collected);
  reset_home_twins(writes_.collected);
  if (WEFT_BUG(kIntervalEndsAtArrival)) writes_.collected.clear();
  writes_.epoch.here.insert(writes_.interval.here);
  writes_.epoch.at_home.insert(writes_.interval.at_home);
  if (tells_heard) writes_.epoch.at_home.insert(heard_of_others());
  if (!WEFT_BUG(kForgetAsked)) share_asked();
  if (writes_.wrote_back) decline_homes();
  std::map<NodeId, PageSet> by_writer;
  if (!writes_.epoch.here.empty()) by_writer[context_.config.self] = writes_.epoch.here;
  for (const PageRange& range : writes_.epoch.at_home.ranges()) {
    for_each_page(range, [&](PageIndex page) {
      const bool is_here = context_.is_self(table_.home_of(page));
      by_writer[is_here ? context_.config.self : kNoNode].insert(page);
    });
  }
  note_replaced();
  if (WEFT_BUG(kConcealAtHome)) by_writer.erase(kNoNode);
  if (!WEFT_BUG(kConcealPassedOn)) report_passed_on(by_writer);
  std::vector<Notice> notices;
  for (auto& [writer, pages] : by_writer) notices.push_back({writer, std::move(pages)});
  return notices;
}

// Each such notice may move the home here, and then no diff shows how much is written: so after
// some of them one is made.
void Coherence::note_replaced() {
  writes_.replaced.clear();
  for (const PageRange& range : writes_.epoch.here.ranges()) {
    for_each_page(range, [&](PageIndex page) {
      Page& entry = table_.at(page);
      if (entry.is_home() || entry.replaces == 0) return;
      --entry.replaces;
      writes_.replaced.insert(page);
    });
  }
}

// A page that its home wrote, and of which a copy came from elsewhere: what the home tells those to
// whom it gave copies is to be told to all. (With another writer it is in any case.)
void Coherence::report_passed_on(std::map<NodeId, PageSet>& by_writer) const {
  if (writes_.passed_on.empty()) return;
  for (const auto& [writer, pages] : log_.pages_by_writer()) {
    for (const PageRange& range : writes_.passed_on.ranges()) {
      for (const PageRange& both : pages.intersection(range)) {
        for_each_page(both, [&](PageIndex page) {
          if (table_.home_of(page) == writer) by_writer[writer].insert(page);
        });
      }
    }
  }
}

// The answer to an atomic operation that is under way, a signal handler's, drops a copy that it
// does not fit, when it is too late to say so: the page counts as written at its home already.
void Coherence::share_asked() {
  pending_atomics_.for_each([this](const PendingAtomic& pending) {
    const PageIndex page = pending.request.where.page();
    if (!writes_.epoch.here.contains(page)) return;
    const bool fits = pending.fits(table_.at(page).fetched, context_.memory.contents(page));
    if (!fits) writes_.epoch.at_home.insert(page);
  });
}

// What other nodes keep stays there if this one has no room: it counts as written there, too. Pages
// that nobody has had before are taken.
void Coherence::decline_homes() {
  for (const PageRange& range : writes_.epoch.here.ranges()) {
    for_each_page(range, [&](PageIndex page) {
      if (table_.at(page).state == PageState::kValid) writes_.epoch.at_home.insert(page);
    });
  }
}

// All have node 0's records by its publication, and nobody else is asked.
PageSet Coherence::heard_of_others() const {
  return log_.pages_but_of(context_.config.self, NodeId(0));
}

void Coherence::begin_epoch(bool after_publication, bool with_others) {
  const bool keep_written = after_publication && context_.config.self != NodeId(0);
  if (keep_written && with_others) writes_.interval.at_home.insert(heard_of_others());
  WEFT_ASSERT(keep_written || releases_.are_complete(),
              "epoch {} ends before what was released in it", context_.epoch.value());
  releases_.begin_epoch(with_others);
  // Writes of threads outside the team, and of nodes that wait for publications, are told later.
  if (!with_others && (!after_publication || WEFT_BUG(kTrustPublications))) {
    context_.sightings.end_barrier();
    streams_.note_asked();
  }
  log_.clear();
  context_.exposed.forget_known();
  carried_.end_epoch();
  sent_clocks_.clear();
  streams_.end_epoch();
  writes_.wrote_back = false;
  const PageSet written = std::exchange(writes_.epoch.here, {});
  const PageSet at_home = std::exchange(writes_.epoch.at_home, {});
  writes_.passed_on.clear();
  early_home_ = kNoNode;
  updates_.end_epoch();
  PageSet again;
  if (keep_written) {
    again = written;
    // Sent home to be done with a stale copy, or evicted, and in no record so far.
    if (!WEFT_BUG(kCarryAsOnlyWriter)) again.insert(writes_.interval.here);
    writes_.interval.at_home.insert(at_home);
  } else {
    writes_.collected.clear();
    writes_.interval.here.clear();
    writes_.interval.at_home.clear();
    release_pending_ = false;
  }
  writes_.late.begin_epoch(after_publication && with_others);
  const PageSet late = writes_.late.take_pages();
  if (!WEFT_BUG(kAtomicAfterArrival)) writes_.interval.at_home.insert(late);
  // It may have been released before, and what was not collected yet, too.
  release_pending_ |= writes_.late.others_here() || !writes_.interval.at_home.empty();
  DiffsByHome diffs;
  for (auto& [page, diff] : writes_.late.take_diffs()) {
    again.insert(page);
    diffs[table_.at(page).home].emplace_back(page, std::move(diff));
  }
  // This node may have no copy of these any more, so it must not count as their only writer.
  writes_.interval.here.insert(again);
  writes_.interval.at_home.insert(again);
  updates_.send_all(diffs);
  // At a publication, of threads outside the team; the homes may be others now.
  for (const AtomicRequest& update : merged_.take_all()) updates_.promise(update);
}

}  // namespace weft
