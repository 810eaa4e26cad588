// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// WEFT_CHECK=libraries, at the end: static data that is each node's own is compared with what it
// was at the start. Where a library's has changed on one node and not on another, something was
// told to the one that the other has not heard, or the other has not used the library. Whether
// that matters, the user knows: it is said, and the job goes on.
//
// Not compared: values that all nodes have changed (they may be addresses of their own), libraries
// that came later than the start, and those of the system.
#pragma once

#include "runtime/interface/node.hpp"

namespace weft {

// On each node, before the program runs.
void begin_library_check(Node& node);

// On node 0, when the program has ended and the other nodes still answer.
void end_library_check(Node& node);

}  // namespace weft
