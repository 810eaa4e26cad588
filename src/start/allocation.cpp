// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program's own allocations on one node: straight to the C library. weftcc links executables
// and shared libraries with --wrap=malloc and so on, so these are what the program calls. In a job
// of several nodes the node library's definitions come first in symbol search and go to the shared
// heap.
//
// They are indirect functions: the dynamic linker asks each resolver once, when it binds the
// program, and the program then calls the C library's malloc itself, as if it had not been wrapped.
// (Plain functions that jump there cost 2 ns a call.) This is sound because all that refer to these
// names name this library as needed: a library is bound before those that need it. The references
// within this library go through its procedure linkage table, which is bound after the addresses
// that the resolvers return.
#include <malloc.h>
#include <stdlib.h>

#include "base/compiler_abi.h"
#include "start/visibility.hpp"

#define WEFT_FORWARD(name)                                        \
  decltype(&(name)) weft_resolve_##name(void) { return &(name); } \
  WEFT_EXPORT decltype(__wrap_##name) __wrap_##name __attribute__((ifunc("weft_resolve_" #name)));

extern "C" {

WEFT_FORWARD(malloc)
WEFT_FORWARD(calloc)
WEFT_FORWARD(realloc)
WEFT_FORWARD(reallocarray)
WEFT_FORWARD(free)
WEFT_FORWARD(posix_memalign)
WEFT_FORWARD(aligned_alloc)
WEFT_FORWARD(memalign)
WEFT_FORWARD(valloc)
WEFT_FORWARD(pvalloc)
WEFT_FORWARD(malloc_usable_size)

}  // extern "C"
