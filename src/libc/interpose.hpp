// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a C function of the program's is taken over: WEFT_ENTRY defines it, WEFT_REAL is the one that
// would have been called without Weft.
#pragma once

#include <dlfcn.h>

#include <atomic>

namespace weft::libc {

// Looked up once.
template <typename Function>
Function real_function(std::atomic<void*>& found, const char* name) {
  void* real = found.load(std::memory_order_relaxed);
  if (real == nullptr) {
    real = dlsym(RTLD_NEXT, name);
    found.store(real, std::memory_order_relaxed);
  }
  return reinterpret_cast<Function>(real);
}

}  // namespace weft::libc

#define WEFT_REAL_AS(type, name)                            \
  ([] {                                                     \
    static constinit std::atomic<void*> found = nullptr;    \
    return ::weft::libc::real_function<type>(found, #name); \
  }())
#define WEFT_REAL(name) WEFT_REAL_AS(decltype(&::name), name)

// Begins the definition of the C function `name`. It has another name for the compiler, which would
// else insist on the headers' attributes (noexcept, nonnull) and act on them.
#define WEFT_ENTRY(result, name, ...)                                                              \
  extern "C"                                                                                       \
      __attribute__((visibility("default"))) result weft_entry_##name(__VA_ARGS__) __asm__(#name); \
  result weft_entry_##name(__VA_ARGS__)
