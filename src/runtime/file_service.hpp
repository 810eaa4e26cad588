// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// File operations that nodes do for each other (libc/forwarding.hpp). An operation may block, on a
// pipe or for a lock of the stream, so threads of their own do them: as many as are under way at
// once. The asker waits for a notification.
#pragma once

#include "base/bytes.hpp"
#include "runtime/node.hpp"

namespace weft {

// Serves the other nodes from now on. Once, before the program runs.
void serve_files(Node& node);

// Asks another node, and waits. For libc::Hooks.
[[nodiscard]] Bytes ask_for_file(unsigned owner, Bytes request);

// What to say when the program has touched an address where it must not: a sentence if it is in
// another node's FILE, else nothing.
[[nodiscard]] const char* explain_access(const void* address);

}  // namespace weft
