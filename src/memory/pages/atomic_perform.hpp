// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The atomic operations of LLVM's IR, with the processor's own atomic instructions, on memory that
// the program's threads use at the same time.
#pragma once

#include "protocol/interface/page_memory.hpp"

namespace weft {

// `where` is naturally aligned for request.size bytes. Sequentially consistent. A load of up to 8
// bytes writes nothing. The result is filled in where it is: whoever copied it as a whole just
// after would wait until the processor has stored its parts.
void perform_atomic(const AtomicRequest& request, std::byte* where, AtomicResult& result);

[[nodiscard]] inline AtomicResult perform_atomic(const AtomicRequest& request, std::byte* where) {
  AtomicResult result;
  perform_atomic(request, where, result);
  return result;
}

}  // namespace weft
