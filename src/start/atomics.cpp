// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The atomic operations' slow path on one node. Compiled code never gets here while
// __weft_threads_elsewhere is 0; these definitions are for linking, and for tests that set it. They
// do the ordinary operation, atomic with the program's own instructions on the same memory.
#include "base/compiler_abi.h"

#include <string.h>

#include "start/plain_atomics.hpp"
#include "start/visibility.hpp"

using weft::PlainAtomics;

extern "C" {

WEFT_EXPORT void __weft_atomic_load(const void* p, void* out, uint32_t size, uint32_t) {
  PlainAtomics::load(p, out, size);
}

WEFT_EXPORT void __weft_atomic_store(void* p, const void* value, uint32_t size, uint32_t) {
  PlainAtomics::update(p, value, nullptr, size, WEFT_ATOMIC_STORE, WEFT_TYPE_INTEGER);
}

WEFT_EXPORT void __weft_atomic_rmw(void* p, const void* operand, void* old_out, uint32_t size,
                                   uint32_t operation, uint32_t type, uint32_t) {
  PlainAtomics::update(p, operand, old_out, size, operation, type);
}

WEFT_EXPORT int __weft_atomic_compare_exchange(void* p, void* expected, const void* desired,
                                               uint32_t size, uint32_t, uint32_t) {
  return PlainAtomics::compare_exchange(p, expected, desired, size) ? 1 : 0;
}

WEFT_EXPORT void __weft_fence(uint32_t) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

}  // extern "C"
