// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of all_bugs() that is about what nodes of one host do in each other's memory: exposure,
// direct operations.
#pragma once

#include "protocol/interface/bugs.hpp"

#ifdef WEFT_DELIBERATE_BUGS

namespace weft {

[[nodiscard]] std::vector<BugName> host_bugs();

}  // namespace weft

#endif
