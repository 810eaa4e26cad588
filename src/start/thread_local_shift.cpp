// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On one node each thread uses its own thread-local variables.
#include "base/thread_local_abi.h"
#include "start/visibility.hpp"

extern "C" {
WEFT_EXPORT __thread intptr_t __weft_thread_local_shift = 0;
}
