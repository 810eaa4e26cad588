// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of Coherence that sends a final update with the arrival (protocol.md, 7).
#include "protocol/bugs.hpp"
#include "protocol/coherence.hpp"
#include "protocol/home_choice.hpp"

namespace weft {

std::vector<Update> EarlyFinal::updates() const {
  if (merged.empty() && diffs.empty()) return {};
  Update update{sequence, true, after, merged, {}};
  for (const auto& [page, diff] : diffs) update.diffs.push_back({page, diff});
  return {update};
}

// Whether the page stays with its home if this node wrote it: it does if others write it too, as
// they did the last time, or if the two take turns.
bool Coherence::is_owed_to_home(const Page& page) const {
  const bool had_several_writers = page.state == PageState::kValid && page.last_writer == kNoNode;
  return had_several_writers ||
         choose_home(page, {context_.config.self}, context_.config.home_policy) == page.home;
}

EarlyFinal Coherence::take_early_final(NodeId home) {
  // Threads outside the team may have more for that home before the epoch ends.
  if (late_.others_here()) return {};
  std::vector<PageIndex> owed;
  for (const PageRange& range : arrival_written_.ranges()) {
    for (PageIndex page = range.first; page < range.end(); ++page) {
      const Page& entry = table_.at(page);
      if (entry.home != home || !entry.mapped) continue;
      if (!is_owed_to_home(entry) || owed.size() >= context_.config.barrier_pages) return {};
      owed.push_back(page);
    }
  }
  EarlyFinal early;
  for (const PageIndex page : owed) {
    Bytes diff = make_diff(page);
    if (diff.empty()) continue;
    // Recorded with the interval, which is still open.
    if (!WEFT_BUG(kEarlyFinalUnrecorded)) interval_written_.insert(page);
    early.diffs.emplace_back(page, std::move(diff));
  }
  early.merged = merged_.take(home);
  if (early.merged.empty() && early.diffs.empty()) return early;
  early.sequence = streams_.next_to(home, true);
  early.after = streams_.order_at(home);
  early_home_ = home;
  ++context_.counters.updates_sent;
  forget_copies_without(pages_of(early.merged));
  return early;
}

}  // namespace weft
