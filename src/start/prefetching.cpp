// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that compiled code is about to use: on one node all of it is here.
#include "base/compiler_abi.h"
#include "start/visibility.hpp"

extern "C" {

WEFT_EXPORT void __weft_prefetch(const void* /*first*/, uint64_t /*bytes*/,
                                 const struct weft_stride* /*strides*/, uint32_t /*stride_count*/,
                                 uint32_t /*use*/) {}

WEFT_EXPORT void __weft_prefetch_all(const struct weft_uses* /*uses*/, const uint64_t* /*values*/) {
}

WEFT_EXPORT void __weft_prefetch_indirect(const void* /*first*/, uint64_t /*bytes*/,
                                          const struct weft_stride* /*strides*/,
                                          uint32_t /*stride_count*/,
                                          const struct weft_indirection* /*indirections*/,
                                          uint32_t /*indirection_count*/, uint32_t /*use*/) {}

WEFT_EXPORT void __weft_await_prefetches(void) {}

WEFT_EXPORT uint64_t __weft_hint_load(const void* /*p*/, uint32_t /*bytes*/) { return 0; }

}  // extern "C"
