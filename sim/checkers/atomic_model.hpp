// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the integer atomic operations do, said as plainly as possible; the oracle and the simulated
// memory share it. Floating-point operations are src/memory's business and not simulated.
#pragma once

#include <span>

#include "protocol/interface/page_memory.hpp"

namespace weft::sim {

AtomicResult perform_model(const AtomicRequest& request, std::span<std::byte> memory);

}  // namespace weft::sim
