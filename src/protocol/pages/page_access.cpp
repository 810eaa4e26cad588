// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/pages/page_access.hpp"

#include "protocol/interface/bugs.hpp"

namespace weft {

template <typename Act>
void PageAccess::with_home_twins(PageRange pages, Act act) {
  for (const PageRange& range : wanted_twins_.intersection(pages)) {
    if (!WEFT_BUG(kOpenWithTwin)) open_.close(range);
    home_twins_.insert(range);
    act(range, Twin::kPresent);
  }
  for (const PageRange& range : wanted_twins_.outside(pages)) act(range, Twin::kNone);
}

void PageAccess::map_tracked(PageRange pages, Twin twin) {
  if (twin == Twin::kNone) {
    with_home_twins(pages,
                    [this](PageRange range, Twin kind) { memory_.map_tracked(range, kind); });
  } else if (merged_.empty() || WEFT_BUG(kMergeNotMapped)) {
    memory_.map_tracked(pages, twin);
  } else {
    map_merged(pages, twin);
  }
  tracked_.insert(pages);
  set_mapped(pages, true);
}

void PageAccess::map_merged(PageRange pages, Twin twin) {
  const PageSet completed = merge_into(pages);
  for (const PageRange& range : completed.ranges()) memory_.map_tracked(range, Twin::kPresent);
  for (const PageRange& range : completed.outside(pages)) memory_.map_tracked(range, twin);
}

void PageAccess::map_written(PageRange pages, Twin twin) {
  memory_.map_written(pages, twin);
  tracked_.insert(pages);
  set_mapped(pages, true);
}

void PageAccess::map_untracked(PageRange pages) {
  memory_.map_untracked(pages);
  tracked_.erase(pages);
  if (!home_twins_.empty()) home_twins_.erase(pages);
  set_mapped(pages, true);
}

void PageAccess::start_tracking(PageRange pages) {
  with_home_twins(pages,
                  [this](PageRange range, Twin kind) { memory_.start_tracking(range, kind); });
  tracked_.insert(pages);
}

ByteView PageAccess::shown_contents(PageIndex page) const {
  const Page* entry = table_.find(page);
  const bool is_copy = entry && entry->state == PageState::kValid && entry->mapped;
  const bool has_twin = is_copy || has_home_twin(page);
  return has_twin && !WEFT_BUG(kShowOpenInterval) ? memory_.twin(page) : memory_.contents(page);
}

void PageAccess::take_home_twin(PageIndex page) {
  const PageRange range{page, 1};
  if (!WEFT_BUG(kOpenWithTwin)) open_.close(range);
  memory_.map_untracked(range);
  memory_.start_tracking(range, Twin::kPresent);
  home_twins_.insert(page);
}

void PageAccess::unmap(PageRange pages) {
  memory_.unmap(pages);
  tracked_.erase(pages);
  if (!home_twins_.empty()) home_twins_.erase(pages);
  set_mapped(pages, false);
}

void PageAccess::drop(PageRange pages) {
  memory_.drop(pages);
  if (!aside_.empty()) aside_.erase(pages);
}

void PageAccess::set_aside(PageRange pages) {
  unmap(pages);
  aside_.insert(pages);
}

// What one page shows of its use, it shows of a few others: a fault for each would cost more than
// it tells.
PageSet PageAccess::set_aside_around(PageIndex page) const {
  constexpr std::uint64_t kBlockPages = 16;
  const PageIndex first(page.value() / kBlockPages * kBlockPages);
  PageSet pages;
  for (const PageRange& range : aside_.intersection(PageRange{first, kBlockPages}))
    pages.insert(range);
  return pages;
}

PageSet PageAccess::collect_written() {
  PageSet written;
  for (const PageRange& stretch : tracked_.stretches()) memory_.collect_written(stretch, written);
  return written;
}

PageSet PageAccess::collect_at_rest(PhaseKey phase) {
  PageSet written;
  memory_.collect_at_rest(tracked_.stretches(), phase, written);
  return written;
}

// Before they are mapped: from then on the program may write the same objects plainly.
PageSet PageAccess::merge_into(PageRange pages) {
  PageSet completed;
  for_each_page(pages, [&](PageIndex page) {
    for (const AtomicRequest& update : merged_.of_page(table_.home_of(page), page)) {
      (void)memory_.perform(update);
      completed.insert(page);
    }
  });
  return completed;
}

void PageAccess::set_mapped(PageRange pages, bool mapped) {
  for_each_page(pages, [&](PageIndex page) { table_.at(page).mapped = mapped; });
  if (mapped && !aside_.empty()) aside_.erase(pages);
}

}  // namespace weft
