// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What this node has written in the present epoch, as far as it is known before tracking is asked:
// by atomic operations, by diffs that went ahead, after its arrival, and under memory pressure
// (protocol/intervals.md, 3, 7 and 12). An interval's record and the epoch's notices are made of
// it. Pure bookkeeping.
//
//   a write is known ──> interval ──(its record)──> epoch ──(the arrival)──> notices
//                        collected ─────────────────^
#pragma once

#include <utility>

#include "base/ids.hpp"
#include "base/page_range.hpp"
#include "protocol/interface/bugs.hpp"
#include "protocol/intervals/late_writes.hpp"

namespace weft {

struct EpochWrites {
  // Pages written, and pages written at their homes, elsewhere, by atomic operations or promises.
  struct Written {
    PageSet here, at_home;
    [[nodiscard]] bool empty() const { return here.empty() && at_home.empty(); }
  };

  Written interval;         // since the last record, beside what tracking will show
  PageSet collected;        // from tracking, without diffs or a record so far
  Written epoch;            // in records, or at the arrival
  PageSet replaced;         // of those, other nodes' pages of which it writes most
  PageSet passed_on;        // copies of these came past their homes, which do not know of them
  LateWrites late;          // after the arrival, by threads outside the team
  bool wrote_back = false;  // pages in this epoch, to make room

  // An atomic operation of this node wrote this page, homed elsewhere, or is about to.
  void note_at_home(PageIndex page) {
    interval.at_home.insert(page);
    late.note_own(page);
  }
  // This node wrote the page by other means than stores that are still to be found.
  void note_here(PageIndex page) {
    interval.here.insert(page);
    late.note_own(page);
  }
  // An atomic operation of any node was performed here. `may_be_late`: it may not be among that
  // node's notices of this epoch.
  void note_performed(PageIndex page, bool may_be_late) {
    interval.here.insert(page);
    if (may_be_late) late.note(page);
  }
  // This node has written it, here or at its home, since its last record.
  [[nodiscard]] bool has_unrecorded(PageIndex page) const {
    return interval.here.contains(page) || interval.at_home.contains(page) ||
           collected.contains(page);
  }
  [[nodiscard]] bool has_any() const {
    return !(collected.empty() && interval.empty() && epoch.empty() && passed_on.empty());
  }
  [[nodiscard]] bool has(PageIndex page) const {
    return epoch.here.contains(page) || interval.here.contains(page) ||
           (collected.contains(page) && !WEFT_BUG(kDiscardCollected));
  }
  // All that is written here, as far as it is known.
  [[nodiscard]] PageSet all_here() const {
    PageSet all = collected;
    all.insert(interval.here);
    all.insert(epoch.here);
    return all;
  }
};

}  // namespace weft
