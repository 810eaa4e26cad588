// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the node's beginning and end have to do with the program's maps.
#pragma once

#include "runtime/interface/node.hpp"

namespace weft::maps {

// On each node, once, before the program runs.
void start_maps(Node& node);

// At the program's end, by the node on which it ends: files get what was written to their maps.
// `at_once` if other threads are in the middle of something and nobody will wait for them. On the
// runtime stack.
void finish_maps(Node& node, bool at_once);

// Ends the job if a fork would have to share memory with its child. On the runtime stack.
void check_fork();

}  // namespace weft::maps
