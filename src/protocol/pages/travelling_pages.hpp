// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pages that travel: their diffs go along with the records that name them, past their homes
// (protocol/locks.md, 15).
#pragma once

#include "protocol/pages/page_access.hpp"
#include "protocol/updates/carried_diffs.hpp"

namespace weft {

// From now on these do. What this node writes in those that are homed here is found from the moment
// on in which they have a twin (Coherence::learn_carried); of those that are not here, at once.
inline void let_travel(const PageSet& pages, CarriedDiffs& carried, PageAccess& access) {
  carried.learn(pages);
  access.want_home_twins(pages);
}

}  // namespace weft
