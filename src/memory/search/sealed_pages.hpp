// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which pages are sealed: their first write traps, though this watcher lets writes pass and notes
// them. What is fetched in runs is read, and seldom written; where a write traps, the copy that a
// diff needs can be made then, and most are never made.
//
// A seal is a page protection, and costs a mapping of its own wherever it begins or ends: so pages
// are sealed and opened by stretches, whatever they hold, and what was opened is not sealed again
// when it is fetched. Single pages
// are not worth it.
//
//   sealed:  from the first page of a run that has come to the end of its stretch, as far as
//            nothing is mapped there and nothing was opened; and stretches that have been
//            quiet for long (see quiet_stretches.hpp)
//   opened:  the half stretch around a page that is written
#pragma once

#include <functional>
#include <vector>

#include "base/page_range.hpp"

namespace weft {

class SealedPages {
 public:
  static constexpr std::uint64_t kStretchPages = 256;
  // A seal of so many costs no more than their twins would.
  static constexpr std::uint64_t kWorthwhilePages = 16;

  [[nodiscard]] bool contains(PageRange pages) const;
  // What must be sealed so that `pages`, absent all, are; nothing if they are not to be.
  // `is_absent` says of a page behind them whether it is.
  [[nodiscard]] PageRange to_seal(PageRange pages,
                                  const std::function<bool(PageIndex)>& is_absent) const;
  void seal(PageRange pages) { sealed_.insert(pages); }
  // Whether one more range may be sealed.
  [[nodiscard]] bool has_room() const;
  // The parts of `pages` that are not sealed, ascending.
  [[nodiscard]] std::vector<PageRange> outside(PageRange pages) const {
    return sealed_.outside(pages);
  }
  // Opens these pages alone, which may be sealed again. Returns what was sealed of them.
  std::vector<PageRange> take(PageRange pages);
  // Opens these pages and those around them. Returns what was sealed of that.
  std::vector<PageRange> open(PageRange pages);

 private:
  PageSet sealed_, opened_;
};

}  // namespace weft
