// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/intervals/invalidation.hpp"

#include <utility>

#include "protocol/interface/bugs.hpp"

namespace weft {

void Invalidation::mark(PageRange pages, PageRuns& mapped, std::vector<PageIndex>& wanted) {
  const auto invalidate_entry = [&](Page& entry, PageIndex page) {
    if (entry.is_home()) return;
    if (entry.mapped) mapped.add(page);
    if (entry.is_held_back()) access_.drop(PageRange{page, 1});
    if (WEFT_BUG(kPristineSurvivesNotice) && entry.state == PageState::kPristine && !entry.mapped) {
      return;
    }
    table_.turn(entry, page, PageEvent::kStale);
    entry.owed = false;
    if (WEFT_BUG(kAcceptOvertakenReply) || (WEFT_BUG(kRecallKeepsFetch) && releases_.is_on()))
      return;
    entry.request = 0;
    if (std::exchange(entry.wanted, false)) wanted.push_back(page);
  };
  table_.note_written(pages, invalidate_entry, [](const HomeFacts& facts) { return facts; });
}

void Invalidation::mark_unmapped(PageIndex page, std::vector<PageIndex>& wanted) {
  if (table_.at(page).mapped || WEFT_BUG(kMergeKeepsFetch)) return;
  PageRuns mapped;  // none
  mark(PageRange{page, 1}, mapped, wanted);
}

void Invalidation::forget_unmapped(const PageSet& sent) {
  std::vector<PageIndex> wanted;
  for (const PageRange& range : sent.ranges()) {
    for_each_page(range, [&](PageIndex page) { mark_unmapped(page, wanted); });
  }
  fetcher_.ask_again(wanted);
}

// Behind each direct atomic operation, where a set of one page would be most of the time.
void Invalidation::forget_unmapped(PageIndex sent) {
  std::vector<PageIndex> wanted;
  mark_unmapped(sent, wanted);
  if (!wanted.empty()) fetcher_.ask_again(wanted);
}

}  // namespace weft
