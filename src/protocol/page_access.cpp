// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/page_access.hpp"

namespace weft {

void PageAccess::map_tracked(PageRange pages, Base base) {
  memory_.map_tracked(pages, base);
  tracked_.insert(pages);
  set_mapped(pages, true);
}

void PageAccess::map_untracked(PageRange pages) {
  memory_.map_untracked(pages);
  tracked_.erase(pages);
  set_mapped(pages, true);
}

void PageAccess::start_tracking(PageRange pages) {
  memory_.start_tracking(pages, Base::kNone);
  tracked_.insert(pages);
}

void PageAccess::unmap(PageRange pages) {
  memory_.unmap(pages);
  tracked_.erase(pages);
  set_mapped(pages, false);
}

PageSet PageAccess::collect_written() {
  PageSet written;
  for (const PageRange& range : tracked_.ranges()) memory_.collect_written(range, written);
  return written;
}

void PageAccess::set_mapped(PageRange pages, bool mapped) {
  for_each_page(pages, [&](PageIndex page) { table_.at(page).mapped = mapped; });
}

}  // namespace weft
