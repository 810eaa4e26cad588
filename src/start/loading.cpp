// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Libraries of the program where no node library is: nothing to be done about them.
#include "base/compiler_abi.h"
#include "start/visibility.hpp"

extern "C" {

WEFT_EXPORT void __weft_program_begins() {}

WEFT_EXPORT void __weft_library_begins(const void*) {}

WEFT_EXPORT void* __weft_dlopen(const char* file, int mode, weft_dlopen_from open) {
  return open(file, mode);
}

WEFT_EXPORT char* __weft_dlerror(void) { return nullptr; }

WEFT_EXPORT void* __weft_handle_here(void* handle) { return handle; }

}  // extern "C"
