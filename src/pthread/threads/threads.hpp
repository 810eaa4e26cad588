// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace weft {
class Node;
}

namespace weft::pthread {

// On every node, before the program runs.
void start_pthread(Node& node);

// Returns when the program's own threads on this node have ended; not the one that runs main.
void wait_for_threads();

}  // namespace weft::pthread
