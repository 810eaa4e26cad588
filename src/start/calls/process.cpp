// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The process on one node. The node library has the definitions for several.
#include <unistd.h>

#include "base/compiler_abi.h"
#include "start/visibility.hpp"

extern "C" {

WEFT_EXPORT pid_t weft_node_pid(void) { return getpid(); }

WEFT_EXPORT void* __weft_run_everywhere(void* (*f)(void*), void* argument) { return f(argument); }

}  // extern "C"
