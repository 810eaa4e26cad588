// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of all_bugs() that is about the ways of barriers: meetings without messages;
// crossing, held departures, exchanges; and about the records of epochs that no barrier ends.
#pragma once

#include "protocol/interface/bugs.hpp"

#ifdef WEFT_DELIBERATE_BUGS

namespace weft {

[[nodiscard]] std::vector<BugName> meeting_bugs();
[[nodiscard]] std::vector<BugName> barrier_bugs();

}  // namespace weft

#endif
