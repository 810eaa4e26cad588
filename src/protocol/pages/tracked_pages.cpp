// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/pages/tracked_pages.hpp"

#include <algorithm>

namespace weft {

void TrackedPages::insert(PageRange pages) {
  if (pages.count == 0) return;
  pages_.insert(pages);
  reached_.insert({pages.first, pages.count + kGapPages});
}

// What these pages alone have reached lies behind what the run before them reaches, and before the
// next run.
void TrackedPages::erase(PageRange pages) {
  if (pages.count == 0) return;
  pages_.erase(pages);
  PageIndex from = pages.first, to = pages.end().plus(kGapPages);
  if (const auto end = pages_.end_before(pages.first)) from = std::max(from, end->plus(kGapPages));
  if (const auto next = pages_.first_from(pages.first)) to = std::min(to, *next);
  if (from < to) reached_.erase({from, to.value() - from.value()});
}

std::vector<PageRange> TrackedPages::stretches() const {
  std::vector<PageRange> result = reached_.ranges();
  for (PageRange& stretch : result) stretch.count -= kGapPages;
  return result;
}

}  // namespace weft
