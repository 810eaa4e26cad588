// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "openmp/libomp/real.hpp"

#include <dlfcn.h>

namespace weft::openmp::detail {

RealFunctions real_functions;
bool real_functions_found = false;

void find_real_functions() {
#define WEFT_FIND(result, name, parameters) \
  real_functions.name = reinterpret_cast<result(*) parameters>(dlsym(RTLD_NEXT, #name));
  WEFT_REAL_FUNCTIONS(WEFT_FIND)
#undef WEFT_FIND
  real_functions_found = true;
}

}  // namespace weft::openmp::detail
