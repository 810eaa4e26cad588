// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which pages this node needs with which locks (protocol/locks.md, 15). Faults show that: a page
// that this node has not got and touches while it holds a lock belongs to the lock.
#pragma once

#include <cstdint>
#include <map>
#include <set>

#include "protocol/context/context.hpp"
#include "protocol/pages/page_access.hpp"
#include "protocol/updates/carried_diffs.hpp"

namespace weft {

class LockNeeds {
 public:
  LockNeeds(Context& context, PageAccess& access, CarriedDiffs& carried)
      : context_(context), access_(access), carried_(carried) {}

  void note_held(LockId lock) { held_locks_.insert(lock); }
  void note_released(LockId lock) { held_locks_.erase(lock); }
  // A page that this node has not got is touched: whatever locks it holds are taken to be for it.
  void note_missed(PageIndex page);
  // The same of one lock, ahead of the miss.
  void expect(LockId lock, const PageSet& pages);
  // A page that was held back, to see whether it is used, is.
  void note_touched(PageIndex page);

  // What is wanted with the lock.
  [[nodiscard]] PageSet wanted(LockId lock);
  // The lock comes with pages. Returns whether they are to be held back, to see whether they are
  // used.
  [[nodiscard]] bool count_grant(LockId lock);
  void note_held_back(LockId lock, PageIndex page) { learnt_[lock].held_back.insert(page); }

 private:
  struct Learnt {
    PageSet pages;
    PageSet held_back;  // the last time, and not touched since
    std::uint32_t grants = 0;
  };

  Context& context_;
  PageAccess& access_;
  CarriedDiffs& carried_;
  std::set<LockId> held_locks_;
  std::map<LockId, Learnt> learnt_;
};

}  // namespace weft
