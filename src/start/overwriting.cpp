// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that compiled code is about to overwrite whole: on one node nothing has to be fetched.
#include "base/compiler_abi.h"
#include "start/visibility.hpp"

extern "C" WEFT_EXPORT void __weft_overwrite(void* /*first*/, __SIZE_TYPE__ /*bytes*/) {}
