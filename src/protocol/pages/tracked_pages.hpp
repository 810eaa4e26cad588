// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pages that this node tracks, and the stretches in which it looks for those that were written.
// What others read of a large array may be thousands of short runs; to go through all of them in
// each interval would take longer than to look, so the stretches are kept beside them.
#pragma once

#include <vector>

#include "base/page_range.hpp"

namespace weft {

class TrackedPages {
 public:
  // Runs that are no further apart are one stretch: the memory may look at them together.
  static constexpr std::uint64_t kGapPages = 256;

  void insert(PageRange pages);
  void erase(PageRange pages);
  // From a tracked page to a tracked page each, ascending.
  [[nodiscard]] std::vector<PageRange> stretches() const;

 private:
  PageSet pages_;
  PageSet reached_;  // the pages, and kGapPages behind each: a stretch is one range
};

}  // namespace weft
