// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The registered memory of other nodes of this host, as this node maps it: their tables, asked for
// once, and pieces of memory when they are first used.
#pragma once

#include "runtime/interface/node.hpp"

namespace weft::remote {

// Tells others where this node's is. On each node, once, before the program runs.
void serve_own_place(Node& node);

}  // namespace weft::remote
