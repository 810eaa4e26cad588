// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Critical regions by their names: clang and flang make a common variable for each name, and hand
// its address to libomp as the lock. The linker lists these among the executable's dynamic symbols
// (compiler/driver/weft-executable.cfg). A header alone: libweft.so includes it.
#pragma once

#include <dlfcn.h>

#include <cstdio>
#include <cstring>

namespace weft {

// The variable; null if no region of the program, or of a library that it was linked to, has the
// name. The unnamed one has the name "".
inline const void* critical_lock(const char* name) {
  char symbol[512];
  if (std::strlen(name) > sizeof symbol - 32) return nullptr;
  std::snprintf(symbol, sizeof symbol, ".gomp_critical_user_%s.var", name);
  return dlsym(RTLD_DEFAULT, symbol);
}

}  // namespace weft
