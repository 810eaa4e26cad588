// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the C library makes for a thread in memory of its own, which is this process's: open
// directories, compiled expressions, converters, lists of addresses and of paths, entries of
// databases. On another node the thread could not use them.
#pragma once

namespace weft::libc {

// The calling thread has got such a thing since it came to this node: Weft leaves it here.
inline constinit thread_local bool has_private_results = false;

}  // namespace weft::libc
