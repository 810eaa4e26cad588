// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A library that loads others.
#include <dlfcn.h>
void* load(const char* file) { return dlopen(file, RTLD_NOW); }
