// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ends of the program by a signal. In one process the kernel's pages are the file's, so what was
// stored is in the file however the program ends. Here the node that the signal reaches writes
// back before it dies, once the program has mapped something that is to be written back. So it is
// with assert, abort, a crash, SIGTERM and the like; not with SIGKILL, which leaves no time.
#pragma once

#include "runtime/interface/node.hpp"

namespace weft::maps {

// On each node, once, before the program runs.
void serve_sudden_ends();

// The program is about to map a file or a segment MAP_SHARED: from now on each node watches the
// signals that may end it, and calls on files (file_calls.hpp). On the runtime stack.
void watch_for_shared_maps(Node& node);

// Of all nodes' threads, what they have stored until now: it is seen by the caller from here on,
// whether they have synchronised or not. On the runtime stack.
void gather_writes(Node& node);

}  // namespace weft::maps
