// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pages that are named one after the other in ascending order, gathered into ranges, so that what
// is decided page by page is asked of the memory range by range.
#pragma once

#include <vector>

#include "base/page_range.hpp"

namespace weft {

class PageRuns {
 public:
  // `range` begins at or after the end of what was added before.
  void add(PageRange range) {
    if (range.count == 0) return;
    if (!ranges_.empty() && ranges_.back().end() == range.first) {
      ranges_.back().count += range.count;
    } else {
      ranges_.push_back(range);
    }
  }
  void add(PageIndex page) { add(PageRange{page, 1}); }

  [[nodiscard]] bool empty() const { return ranges_.empty(); }
  [[nodiscard]] auto begin() const { return ranges_.begin(); }
  [[nodiscard]] auto end() const { return ranges_.end(); }

 private:
  std::vector<PageRange> ranges_;
};

// Calls `visit(PageIndex)` for each page of a range.
template <typename Visit>
void for_each_page(PageRange range, Visit&& visit) {
  for (PageIndex page = range.first; page < range.end(); ++page) visit(page);
}

}  // namespace weft
