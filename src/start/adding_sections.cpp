// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Critical sections that only add (protocol/locks.md, 26), on one node: they take their locks.
#include "base/compiler_abi.h"
#include "start/visibility.hpp"

extern "C" {

WEFT_EXPORT uint64_t __weft_begin_adding(uint32_t, void*, const weft_sum*, uint32_t) {
  return WEFT_NOT_BEGUN;
}

WEFT_EXPORT int __weft_add(uint32_t, void*, uint64_t, const weft_sum*, uint32_t, const weft_term*,
                           uint32_t) {
  return WEFT_TAKE_LOCK;
}

}  // extern "C"
