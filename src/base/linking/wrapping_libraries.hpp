// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library of the program's may wrap functions of the C library: its own `write` counts, and calls
// the next one. In a plain run the program comes to the wrapper first. In a node, Weft's library is
// preloaded, so it stands before all others: the program would come to Weft's `write`, and Weft
// itself to the wrapper, before there is a job.
//
// So such libraries are preloaded before Weft's. Then they stand where the executable's own
// functions do (own_calls.hpp): the wrapper is called first, calls Weft's next, and that one the C
// library's.
#pragma once

namespace weft {

// Executes the program again if there is such a library behind Weft's. Else, and where that cannot
// be, returns. Before all constructors: nothing has been done yet. Calls nothing that the program
// could have defined.
void put_wrapping_libraries_first();

// Set for the process that has been executed again, which does not do so once more.
inline constexpr const char* kWrappersFirstVariable = "WEFT_WRAPPERS_FIRST";

}  // namespace weft
