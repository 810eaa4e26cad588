// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic operations of any size, operation and type on this node's memory, as one compare-exchange
// loop over the processor's 1, 2, 4, 8 and 16 byte instructions; anything else under one of a few
// locks chosen by address. All orders are sequentially consistent: nobody is in a hurry here.
#pragma once

#include <stdint.h>
#include <string.h>

#include "base/compiler_abi.h"

namespace weft {

class PlainAtomics {
 public:
  static void load(const void* p, void* out, uint32_t size);
  // Stores `operation(*p, *operand)`; what was there before goes to `old_out` unless it is null.
  static void update(void* p, const void* operand, void* old_out, uint32_t size, uint32_t operation,
                     uint32_t type);
  static bool compare_exchange(void* p, void* expected, const void* desired, uint32_t size);

  // What an update leaves, for a native size of at most 16 bytes.
  static void compute(const void* before, const void* operand, void* after, uint32_t size,
                      uint32_t operation, uint32_t type);
};

}  // namespace weft
