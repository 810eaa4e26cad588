// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libomp writes into the lock words that compiled code gives it. Those are in shared memory, where
// other nodes' libomp would take them for theirs: each node has one of its own in their place.
#pragma once

namespace weft::openmp {

// The lock word of this node that stands for the program's.
[[nodiscard]] void* own_lock(void* lock);

}  // namespace weft::openmp
