// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What compiled code says of the variables that reductions add to: on one node nobody has to know.
#include "base/compiler_abi.h"
#include "start/visibility.hpp"

extern "C" WEFT_EXPORT void __weft_wrote_original() {}
