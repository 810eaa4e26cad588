// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C library's own allocation functions, under the names that nobody interposes. glibc has
// exported them since 2.2.5; they work before any symbol can be looked up. Their locks are taken by
// whatever a signal handler's access to shared memory may set going, so signals wait meanwhile.
#pragma once

#include <cstddef>

#include "base/held_signals.hpp"

extern "C" {
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* block, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);
void __libc_free(void* block);
}

namespace weft::libc {

inline void* real_malloc(std::size_t bytes) {
  const SignalsHeld held;
  return __libc_malloc(bytes);
}

inline void* real_calloc(std::size_t count, std::size_t bytes) {
  const SignalsHeld held;
  return __libc_calloc(count, bytes);
}

inline void* real_realloc(void* block, std::size_t bytes) {
  const SignalsHeld held;
  return __libc_realloc(block, bytes);
}

inline void* real_memalign(std::size_t alignment, std::size_t bytes) {
  const SignalsHeld held;
  return __libc_memalign(alignment, bytes);
}

inline void real_free(void* block) {
  const SignalsHeld held;
  __libc_free(block);
}

}  // namespace weft::libc
