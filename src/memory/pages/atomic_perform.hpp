// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The atomic operations of LLVM's IR, with the processor's own atomic instructions, on memory that
// the program's threads use at the same time.
#pragma once

#include "protocol/interface/page_memory.hpp"

namespace weft {

// `where` is naturally aligned for request.size bytes. Sequentially consistent.
[[nodiscard]] AtomicResult perform_atomic(const AtomicRequest& request, std::byte* where);

}  // namespace weft
