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
// Another node than the first: it will not touch shared memory any more. Waits until nobody does.
void leave_with_others(Node& node);
// Node 0: waits until all others have said so, but not for ever: the launcher sees to the rest.
void wait_for_others(Node& node);
// Lets them go, once they have got whatever else this node has sent.
void let_others_leave(Node& node);
// Prints what the node has counted, in that format (runtime/output/statistics.hpp).
void say_last_words(Driver& driver, std::string_view format);

}  // namespace weft
