// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "pthread/threads/birth.hpp"
#include "pthread/threads/elsewhere.hpp"
#include "runtime/interface/node.hpp"

namespace weft::pthread {

// On every node, before the program runs, by its main thread.
void start_pthread(Node& node);

// Node 0: returns when the program's own threads have ended, on all nodes; not the one that runs
// main.
void wait_for_threads();

// Makes a thread here for one of another node; the value is its id here.
[[nodiscard]] ThreadAnswer create_for_other_node(const ThreadBirth& birth);

}  // namespace weft::pthread
