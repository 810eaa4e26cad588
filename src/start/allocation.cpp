// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program's own allocations on one node: straight to the C library. weftcc links executables
// with --wrap=malloc and so on, so these are what the program calls. In a job of several nodes the
// node library's definitions come first in symbol search and go to the shared heap.
#include <malloc.h>
#include <stdlib.h>

#include "base/compiler_abi.h"
#include "start/visibility.hpp"

extern "C" {

WEFT_EXPORT void* __wrap_malloc(size_t size) { return malloc(size); }
WEFT_EXPORT void* __wrap_calloc(size_t count, size_t size) { return calloc(count, size); }
WEFT_EXPORT void* __wrap_realloc(void* block, size_t size) { return realloc(block, size); }
WEFT_EXPORT void* __wrap_reallocarray(void* block, size_t count, size_t size) {
  return reallocarray(block, count, size);
}
WEFT_EXPORT void __wrap_free(void* block) { free(block); }
WEFT_EXPORT void __wrap_cfree(void* block) { __wrap_free(block); }
WEFT_EXPORT int __wrap_posix_memalign(void** block, size_t alignment, size_t size) {
  return posix_memalign(block, alignment, size);
}
WEFT_EXPORT void* __wrap_aligned_alloc(size_t alignment, size_t size) {
  return aligned_alloc(alignment, size);
}
WEFT_EXPORT void* __wrap_memalign(size_t alignment, size_t size) {
  return memalign(alignment, size);
}
WEFT_EXPORT void* __wrap_valloc(size_t size) { return valloc(size); }
WEFT_EXPORT void* __wrap_pvalloc(size_t size) { return pvalloc(size); }
WEFT_EXPORT size_t __wrap_malloc_usable_size(void* block) { return malloc_usable_size(block); }

}  // extern "C"
