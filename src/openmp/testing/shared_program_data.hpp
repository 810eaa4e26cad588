// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory that the test cluster's processes share: mapped before they are forked.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft {

// Zeroed memory at this address, which processes forked later share. Ends the process on failure.
[[nodiscard]] void* map_shared(std::uintptr_t where, std::size_t bytes);

// Makes the executable's writable data shared, with what it holds.
void share_program_data();
[[nodiscard]] bool is_program_data(const void* address);

}  // namespace weft
