// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program's dlopen and what belongs to it, linked into each executable and library that uses
// them (weftcc renames the calls by --wrap). The C library looks at who calls: it searches for
// libraries along the caller's run path, and RTLD_NEXT is counted from there. So the C library's
// functions are called from here, from within the object itself, also when the node library has
// another node do it.
//
// dlerror belongs to them: a load across nodes goes on after the C library's dlopen has failed, and
// what it does then may take away what that had to say.
#include <dlfcn.h>
#include <link.h>

#include "base/compiler_abi.h"

#define HIDDEN __attribute__((visibility("hidden")))

extern "C" {
void* __real_dlopen(const char* file, int mode);
int __real_dlclose(void* handle);
void* __real_dlsym(void* handle, const char* name);
void* __real_dlvsym(void* handle, const char* name, const char* version);
int __real_dlinfo(void* handle, int request, void* result);
char* __real_dlerror(void);

HIDDEN void* __wrap_dlopen(const char* file, int mode);
HIDDEN int __wrap_dlclose(void* handle);
HIDDEN void* __wrap_dlsym(void* handle, const char* name);
HIDDEN void* __wrap_dlvsym(void* handle, const char* name, const char* version);
HIDDEN int __wrap_dlinfo(void* handle, int request, void* result);
HIDDEN char* __wrap_dlerror(void);
}

namespace {

// Not a tail call: the return address tells who calls.
void* open_from_here(const char* file, int mode) {
  void* handle = __real_dlopen(file, mode);
  asm volatile("" ::: "memory");
  return handle;
}

// What this node calls a library that the program knows by `handle`.
void* handle_here(void* handle) {
  return __weft_spans_nodes != 0 ? __weft_handle_here(handle) : handle;
}

}  // namespace

void* __wrap_dlopen(const char* file, int mode) {
  if (__weft_spans_nodes != 0) return __weft_dlopen(file, mode, open_from_here);
  [[clang::musttail]] return __real_dlopen(file, mode);
}

int __wrap_dlclose(void* handle) { return __real_dlclose(handle_here(handle)); }

void* __wrap_dlsym(void* handle, const char* name) {
  [[clang::musttail]] return __real_dlsym(handle_here(handle), name);
}

void* __wrap_dlvsym(void* handle, const char* name, const char* version) {
  [[clang::musttail]] return __real_dlvsym(handle_here(handle), name, version);
}

int __wrap_dlinfo(void* handle, int request, void* result) {
  [[clang::musttail]] return __real_dlinfo(handle_here(handle), request, result);
}

char* __wrap_dlerror(void) {
  char* const of_load = __weft_spans_nodes != 0 ? __weft_dlerror() : nullptr;
  return of_load != nullptr ? of_load : __real_dlerror();
}
