// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of Coherence that is about final updates in the barrier's own messages
// (protocol/epochs.md, 7).
#include <utility>

#include "protocol/homes/home_choice.hpp"
#include "protocol/interface/bugs.hpp"
#include "protocol/intervals/coherence.hpp"
#include "protocol/pages/page_runs.hpp"

namespace weft {

// Whether the page stays with its home if this node wrote it: it does if others write it too, as
// they did the last time, or if the two take turns.
bool Coherence::is_owed_to_home(const Page& entry, PageIndex page) const {
  const bool replaced = writes_.replaced.contains(page);
  const bool had_several_writers = entry.state == PageState::kValid && entry.last_writer == kNoNode;
  return had_several_writers || choose_home(entry, {context_.config.self}, replaced,
                                            context_.config.home_policy) == entry.home;
}

std::optional<std::vector<PageIndex>> Coherence::owed_early(NodeId home) const {
  std::vector<PageIndex> owed;
  // Threads outside the team may have more for that home before the epoch ends.
  if (writes_.late.others_here()) return std::nullopt;
  for (const PageRange& range : writes_.collected.ranges()) {
    for (PageIndex page = range.first; page < range.end(); ++page) {
      const Page& entry = table_.at(page);
      if (entry.home != home || !entry.mapped) continue;
      if (!is_owed_to_home(entry, page) || owed.size() >= context_.config.barrier_pages) {
        return std::nullopt;
      }
      owed.push_back(page);
    }
  }
  return owed;
}

FinalUpdate Coherence::take_early_final(NodeId home) {
  const std::optional<std::vector<PageIndex>> owed = owed_early(home);
  if (!owed) return {};
  Diffs diffs;
  for (const PageIndex page : *owed) {
    Bytes diff = updates_.make_diff(page);
    if (diff.empty()) continue;
    // Recorded with the interval, which is still open.
    if (!WEFT_BUG(kEarlyFinalUnrecorded)) writes_.interval.here.insert(page);
    diffs.emplace_back(page, std::move(diff));
  }
  if (diffs.empty() && merged_.count(home) == 0 && !updates_.deferred().has(home)) return {};
  early_home_ = home;
  WEFT_PROBE(context_, kEarlyFinal);
  const bool is_first = !updates_.has_updated(home) &&
                        clock_at(log_.clock(), context_.config.self) == IntervalNumber();
  FinalUpdate final = updates_.make_final(home, std::move(diffs), true);
  if (!is_first && !WEFT_BUG(kWholeAfterUpdates)) return final;
  for (const PageIndex page : *owed) final.whole.insert(page);
  return final;
}

PageSet Coherence::shared_here(const PageSet& pages) const {
  PageSet shared;
  for (const PageRange& range : pages.ranges()) {
    for_each_page(range, [&](PageIndex page) {
      const Page& entry = table_.at(page);
      if (entry.is_home() && entry.state == PageState::kShared) shared.insert(page);
    });
  }
  return shared;
}

}  // namespace weft
