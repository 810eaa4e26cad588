// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order in which nodes leave the job at the program's end. What they do at their end (tools,
// libraries) may touch shared memory, whose pages may be anywhere: so each says when it has done
// everything, and goes on serving the others until node 0 has heard that from all. What is still on
// its way to a node that has gone would never arrive.
#pragma once

#include <string_view>

#include "runtime/driver/driver.hpp"
#include "runtime/interface/node.hpp"

namespace weft {

// On each node, once, before the program runs.
void serve_leaving(Node& node);
// This node will not touch shared memory any more. Node 0 announces the program's end, waits until
// all others have called this, but not for ever (the launcher sees to the rest), and lets them go
// once they have got whatever else it has sent. The others wait for that.
void leave_in_order(Driver& driver);
// Prints what the node has counted, in that format (runtime/output/statistics.hpp).
void say_last_words(Driver& driver, std::string_view format);

}  // namespace weft
