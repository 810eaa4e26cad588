// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// weft/process.h on one node. The node library has the definition for several.
#include <unistd.h>

#include "start/visibility.hpp"

extern "C" {

WEFT_EXPORT pid_t weft_node_pid(void) { return getpid(); }

}  // extern "C"
