// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a C function of the program's is taken over: WEFT_ENTRY defines it, WEFT_REAL is the one that
// would have been called without Weft.
#pragma once

#include <dlfcn.h>

#include <atomic>

namespace weft::libc {

struct RealFunction {
  const char* name;
  std::atomic<void*> address;
  bool is_first;  // of all there are, instead of the one behind this library

  // Found when it is first needed, which is before resolve_real_functions() at the earliest.
  void* find() {
    void* real = address.load(std::memory_order_relaxed);
    if (real == nullptr) {
      real = dlsym(is_first ? RTLD_DEFAULT : RTLD_NEXT, name);
      address.store(real, std::memory_order_relaxed);
    }
    return real;
  }
};

// All of them: the linker gathers them, and defines where they begin and end. Weak: a test may have
// none.
extern "C" {
[[gnu::weak, gnu::visibility("hidden")]] extern RealFunction __start_weft_real_functions[];
[[gnu::weak, gnu::visibility("hidden")]] extern RealFunction __stop_weft_real_functions[];
}

// Finds all now. A dlsym that succeeds later, in a call that has nothing to do with libraries,
// would take away what the program's next dlerror() is to say on that thread.
inline void resolve_real_functions() {
  for (RealFunction* f = __start_weft_real_functions; f != __stop_weft_real_functions; ++f) {
    (void)f->find();
  }
  (void)dlerror();  // some are in libraries that few programs have
}

}  // namespace weft::libc

#define WEFT_FOUND_AS(type, function, is_first)                                           \
  ([] {                                                                                   \
    [[gnu::section("weft_real_functions"),                                                \
      gnu::used]] static constinit ::weft::libc::RealFunction real = {#function, nullptr, \
                                                                      is_first};          \
    return reinterpret_cast<type>(real.find());                                           \
  }())
#define WEFT_REAL_AS(type, function) WEFT_FOUND_AS(type, function, false)
#define WEFT_REAL(name) WEFT_REAL_AS(decltype(&::name), name)
// The one that everybody calls: the program's, if it has one.
#define WEFT_FIRST_AS(type, function) WEFT_FOUND_AS(type, function, true)

// Begins the definition of the C function `name`. It has another name for the compiler, which would
// else insist on the headers' attributes (noexcept, nonnull) and act on them.
#define WEFT_ENTRY(result, name, ...)                                                              \
  extern "C"                                                                                       \
      __attribute__((visibility("default"))) result weft_entry_##name(__VA_ARGS__) __asm__(#name); \
  result weft_entry_##name(__VA_ARGS__)

// The same where src/process may have a definition that knows of the job: then that one counts.
#define WEFT_STANDBY_ENTRY(result, name, ...)                                       \
  extern "C" __attribute__((visibility("default"), weak)) result weft_entry_##name( \
      __VA_ARGS__) __asm__(#name);                                                  \
  result weft_entry_##name(__VA_ARGS__)
