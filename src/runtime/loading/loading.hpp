// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Libraries that the program loads while it runs: its dlopen loads on all nodes, at the same
// addresses, so that pointers to functions, virtual tables and data mean the same everywhere.
//
//   the node whose thread calls            every other node, on a thread for it
//   lock of the job
//   dlopen, in a window (loading_window)
//   names what came, and where    ──────►  dlopen, in the same window; compares
//   its data becomes shared                its data becomes shared
//                                 ◄──────  what it calls the library
//   constructors, once, here
//   unlock
//
// So it is for what weftcc did not link, but for those libraries whose data is each node's own
// (library_kinds.hpp): their constructors run on each. Foreign libraries' own calls of dlopen come
// here, too (foreign_loading.hpp). Nothing is ever unloaded: other nodes may be using it.
#pragma once

#include "runtime/driver/driver.hpp"

namespace weft {

// Serves the other nodes from now on. Once, before the program runs.
void serve_loading(Driver& node);

// The constructor of <iostream>, which is the program's, sets up the C++ library's own data, which
// is each node's, and the standard streams, which are shared (src/start/shared_variables.cpp). On
// each node, before memory is shared: the streams are the same everywhere then, and the program's
// own constructor finds them made.
void start_standard_streams();

}  // namespace weft
