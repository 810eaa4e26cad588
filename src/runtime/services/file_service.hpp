// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// File operations that nodes do for each other (libc/streams/forwarding.hpp).
#pragma once

#include "base/bytes.hpp"
#include "base/ids.hpp"

namespace weft {

// Does them for the other nodes from now on. Once, after serve_delegated.
void serve_files();

// Asks another node, and waits. For libc::Hooks.
[[nodiscard]] Bytes ask_for_file(NodeId owner, Bytes request);

// What to say when the program has touched an address where it must not: a sentence if it is in
// another node's FILE, else nothing.
[[nodiscard]] const char* explain_access(const void* address);

}  // namespace weft
