// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Environment variables of libomp's that Weft obeys itself.
#pragma once

namespace weft::openmp {

// The value of a logical variable as libomp reads it (any case; "t", "true", "on", "1", "yes",
// ...). `otherwise` if it is not set, or says neither yes nor no.
[[nodiscard]] bool logical_variable(const char* name, bool otherwise);

}  // namespace weft::openmp
