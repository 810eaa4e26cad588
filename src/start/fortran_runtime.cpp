// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fortran's runtime library is linked into the program, so its units and its random numbers are in
// shared memory, while its locks only work within a process. The pass
// (compiler/pass/modules/fortran.cpp) puts each of its statements between these two calls, which
// across nodes are an OpenMP critical section: one node at a time, and with the memory that the
// last one left.
//
// A statement may run others while its list is worked off, so statements nest; the lock is taken by
// the outermost one that needs it. Internal files (writing to a character variable) need none.
#include <stdint.h>

#include "base/compiler_abi.h"
#include "start/visibility.hpp"

extern "C" {
// OpenMP's, of whoever comes first in symbol search. Weak: a library that weftfc made may be loaded
// into a program that has no OpenMP.
__attribute__((weak)) int32_t __kmpc_global_thread_num(void* location);
__attribute__((weak)) void __kmpc_critical(void* location, int32_t thread, void* name);
__attribute__((weak)) void __kmpc_end_critical(void* location, int32_t thread, void* name);
}

namespace {

struct Location {  // libomp's ident_t
  int32_t reserved_1, flags, reserved_2, source_length;
  const char* source;
};
Location location = {.reserved_1 = 0,
                     .flags = 2,
                     .reserved_2 = 0,
                     .source_length = 22,
                     .source = ";unknown;unknown;0;0;;"};
int32_t name[8];  // the critical section's, by its address

// This thread's open statements, the innermost one in the lowest bit: 1 if it needs the lock. The
// lock is held while any bit is 1. (Nobody nests 64 statements.)
__attribute__((tls_model("initial-exec"))) thread_local uint64_t open_statements;

}  // namespace

extern "C" {

WEFT_EXPORT void __weft_fortran_begin(uint32_t needs_lock) {
  if (__weft_spans_nodes == 0 || __kmpc_critical == nullptr) return;
  if (needs_lock != 0 && open_statements == 0) {
    __kmpc_critical(&location, __kmpc_global_thread_num(&location), name);
  }
  open_statements = open_statements << 1 | (needs_lock != 0 ? 1 : 0);
}

WEFT_EXPORT void __weft_fortran_end(void) {
  if (__weft_spans_nodes == 0 || __kmpc_critical == nullptr) return;
  const bool had_lock = (open_statements & 1) != 0;
  open_statements >>= 1;
  if (had_lock && open_statements == 0) {
    __kmpc_end_critical(&location, __kmpc_global_thread_num(&location), name);
  }
}

}  // extern "C"
