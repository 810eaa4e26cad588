// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C library's own allocation functions, under the names that nobody interposes. glibc has
// exported them since 2.2.5; they work before any symbol can be looked up.
#pragma once

#include <cstddef>

extern "C" {
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* block, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);
void __libc_free(void* block);
}
