// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace weft::process {

// Whether the program asks for one of Weft's descriptors (libc/ownership/kept_descriptors.hpp).
// Then errno is EBADF: to the program it is not open.
[[nodiscard]] bool is_kept_from(const void* caller, int descriptor);

}  // namespace weft::process
