// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared memory beside the program's own, for the layers above, and the first contents of data.
#pragma once

#include <cstddef>

namespace weft {

// A block of `bytes` in the shared region, 64-byte aligned, zero at first, at the same address on
// every node provided that every node asks for the same blocks in the same order. Never freed.
[[nodiscard]] void* control_block(std::size_t bytes);

// The contents that an address of the executable's data had before the program started; the
// address itself if it is not in the executable's writable data.
[[nodiscard]] const void* initial_contents_of(const void* program_address);

}  // namespace weft
