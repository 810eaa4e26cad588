// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program, or a library of its, may have a function of its own that is named as one of the C
// library's: send, poll, open, or a pthread_create that counts and calls on. The dynamic linker
// then binds the calls of all libraries to it. That is right for the program's libraries, and as in
// a plain run. It is wrong for Weft's and for UCX's, which no plain run has: the function would run
// before there is a job, on threads and nodes where the program does nothing, and might do
// something else altogether.
//
// So their calls are bound again, to what they would have found without the program's definition:
// Weft's own, if this library takes the function over, else the C library's. A program's own
// allocator stays in use by all. Libraries of the program's count if they are searched before
// Weft's (wrapping_libraries.hpp).
#pragma once

#include <cstddef>

namespace weft {

// To be called before any other function of Weft's library, and when UCX has loaded more of itself.
// Calls nothing that the program could have defined. Returns how many places have been changed.
std::size_t bind_own_calls();

}  // namespace weft
