// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "libc/allocation/library_allocation.hpp"

#include <dlfcn.h>
#include <stdlib.h>

#include <malloc.h>
#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>

#include "base/compiler_abi.h"
#include "libc/interposition/hooks.hpp"
#include "stacks/stacks.hpp"

namespace weft::libc {
namespace {

bool works_for_program() {
  const Hooks* const node = hooks();
  return node != nullptr && node->heap != nullptr && is_on_program_stack();
}

void* library_malloc(std::size_t bytes) {
  return works_for_program() ? __wrap_malloc(bytes) : malloc(bytes);
}
void* library_calloc(std::size_t count, std::size_t bytes) {
  return works_for_program() ? __wrap_calloc(count, bytes) : calloc(count, bytes);
}
// A block that is there keeps its kind.
void* library_realloc(void* block, std::size_t bytes) {
  return block == nullptr && works_for_program() ? __wrap_malloc(bytes) : realloc(block, bytes);
}
void* library_reallocarray(void* block, std::size_t count, std::size_t bytes) {
  return block == nullptr && works_for_program() ? __wrap_reallocarray(block, count, bytes)
                                                 : reallocarray(block, count, bytes);
}
int library_posix_memalign(void** out, std::size_t alignment, std::size_t bytes) {
  return works_for_program() ? __wrap_posix_memalign(out, alignment, bytes)
                             : posix_memalign(out, alignment, bytes);
}
void* library_memalign(std::size_t alignment, std::size_t bytes) {
  return works_for_program() ? __wrap_memalign(alignment, bytes) : memalign(alignment, bytes);
}
void* library_aligned_alloc(std::size_t alignment, std::size_t bytes) {
  return works_for_program() ? __wrap_aligned_alloc(alignment, bytes)
                             : aligned_alloc(alignment, bytes);
}
void* library_valloc(std::size_t bytes) {
  return works_for_program() ? __wrap_valloc(bytes) : valloc(bytes);
}
void* library_pvalloc(std::size_t bytes) {
  return works_for_program() ? __wrap_pvalloc(bytes) : pvalloc(bytes);
}

struct Call {
  const char* name;
  void* shared;
};

template <typename Function>
void* address(Function* function) {
  return reinterpret_cast<void*>(function);
}

const std::array kAllocators = {
    Call{"malloc", address(library_malloc)},
    Call{"calloc", address(library_calloc)},
    Call{"realloc", address(library_realloc)},
    Call{"reallocarray", address(library_reallocarray)},
    Call{"posix_memalign", address(library_posix_memalign)},
    Call{"memalign", address(library_memalign)},
    Call{"aligned_alloc", address(library_aligned_alloc)},
    Call{"valloc", address(library_valloc)},
    Call{"pvalloc", address(library_pvalloc)},
};

// Functions of the C library that return memory which their caller frees: libweft.so has twins of
// them for the program (start/made_by_libc.cpp), under these names with __wrap_ before.
constexpr std::array kMakers = {"strdup",
                                "__strdup",
                                "strndup",
                                "__strndup",
                                "wcsdup",
                                "asprintf",
                                "__asprintf",
                                "__asprintf_chk",
                                "vasprintf",
                                "__vasprintf_chk",
                                "open_memstream",
                                "getline",
                                "getdelim",
                                "__getdelim",
                                "realpath",
                                "__realpath_chk",
                                "canonicalize_file_name",
                                "getcwd",
                                "__getcwd_chk",
                                "get_current_dir_name"};

bool is_maker(const char* name) {
  return std::ranges::any_of(kMakers,
                             [name](const char* maker) { return std::strcmp(name, maker) == 0; });
}

}  // namespace

void* shared_allocation(const char* name) {
  for (const Call& call : kAllocators) {
    if (std::strcmp(name, call.name) == 0) return call.shared;
  }
  if (!is_maker(name)) return nullptr;
  std::array<char, 64> twin{"__wrap_"};
  std::strncat(twin.data(), name, twin.size() - sizeof "__wrap_");
  return dlsym(RTLD_DEFAULT, twin.data());
}

}  // namespace weft::libc
