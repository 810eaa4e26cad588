// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What can be seen of a node from outside, by the process that started it. The node does not
// notice.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "weft/nodes/observed_node.hpp"

namespace weft {

// Of a process that has not been waited for; without its board.
[[nodiscard]] ObservedNode observe_node(unsigned number, pid_t pid);

// This host's clock, which never goes back.
[[nodiscard]] std::uint64_t monotonic_us();

}  // namespace weft
