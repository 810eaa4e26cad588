// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order in which nodes leave the job at the program's end: node 0, which the others' memory may
// be at, is the last. What they do at their end (tools, libraries) may touch shared memory.
#pragma once

#include "runtime/node.hpp"

namespace weft {

// Node 0 learns of others that leave. Once, before the program runs.
void serve_leaving(Node& node);
// Another node: it will not touch shared memory any more.
void announce_leaving(Node& node);
// Node 0: waits until all others have announced it, but not for ever; the launcher sees to the
// rest.
void wait_for_leaving(Node& node);

}  // namespace weft
