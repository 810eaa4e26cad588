// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the options say about where regions and threads run (runtime/interface/spreading.hpp and
// thread_spreading.hpp). Whether the program's own threads may start on any node is decided before
// it runs, and on all nodes alike: nodes at rest have told the others that nobody writes there, and
// a thread that starts would.
//
// Rejected: to wake a node from its rest when the first thread comes. The promise is the
// protocol's, and holds until the next barrier, of which such a program has none.
#pragma once

#include "runtime/driver/driver.hpp"
#include "runtime/options/options.hpp"

namespace weft {

// When the program's objects are loaded.
void choose_spreading(const NodeOptions& options, const Bootstrap& bootstrap);

// Where the program's threads are at first; if they may start on this node, that is said.
[[nodiscard]] Driver::Beginning prepare_thread_start(Driver& driver);

}  // namespace weft
