// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "libc/interposition/interpose.hpp"
#include "runtime/libraries/library_of.hpp"

namespace weft::pthread {

[[nodiscard]] inline bool is_of_libomp(const void* address) {
  const void* libomp = WEFT_REAL_AS(const void*, __kmpc_fork_call);
  return libomp != nullptr && library_of(address) == library_of(libomp);
}

}  // namespace weft::pthread
