// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/adoption/foreign_loading.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <string>

#include "base/compiler_abi.h"
#include "runtime/interface/node.hpp"
#include "runtime/libraries/opening.hpp"
#include "stacks/stacks.hpp"

namespace weft {
namespace {

bool works_for_program() { return this_node() != nullptr && is_on_program_stack(); }

// From here, as this is at the same address on all nodes, and the caller is only known on this one.
void* open_from_here(const char* file, int mode) {
  void* handle = dlopen(file, mode);
  asm volatile("" ::: "memory");  // not a tail call: the return address tells who calls
  return handle;
}

// The C library would look along the caller's run path.
std::string find_for(const void* caller, const std::string& file) {
  if (file.find('/') != std::string::npos) return with_origin(file, caller);
  const std::string folders = run_path_of(caller).folders;
  for (std::size_t begin = 0; begin < folders.size();) {
    const std::size_t end = std::min(folders.find(':', begin), folders.size());
    std::string path = folders.substr(begin, end - begin) + "/" + file;
    if (access(path.c_str(), R_OK) == 0) return path;
    begin = end + 1;
  }
  return file;
}

void* open_for(const void* caller, const char* file, int mode) {
  std::string found;
  if (file != nullptr) on_runtime_stack([&] { found = find_for(caller, file); });
  return __weft_dlopen(file == nullptr ? nullptr : found.c_str(), mode, open_from_here);
}

void* library_dlopen(const char* file, int mode) {
  if (!works_for_program()) [[clang::musttail]]
    return dlopen(file, mode);
  return open_for(__builtin_return_address(0), file, mode);
}
void* library_dlsym(void* handle, const char* name) {
  [[clang::musttail]] return dlsym(__weft_handle_here(handle), name);
}
void* library_dlvsym(void* handle, const char* name, const char* version) {
  [[clang::musttail]] return dlvsym(__weft_handle_here(handle), name, version);
}
int library_dlinfo(void* handle, int request, void* result) {
  return dlinfo(__weft_handle_here(handle), request, result);
}
int library_dlclose(void* handle) { return dlclose(__weft_handle_here(handle)); }
char* library_dlerror() {
  char* const of_load = __weft_dlerror();
  return of_load != nullptr ? of_load : dlerror();
}

struct Call {
  std::string_view name;
  void* function;
};

template <typename Function>
void* address(Function* function) {
  return reinterpret_cast<void*>(function);
}

}  // namespace

void* loading_for_library(std::string_view name) {
  const std::array calls = {
      Call{"dlopen", address(library_dlopen)},   Call{"dlsym", address(library_dlsym)},
      Call{"dlvsym", address(library_dlvsym)},   Call{"dlinfo", address(library_dlinfo)},
      Call{"dlclose", address(library_dlclose)}, Call{"dlerror", address(library_dlerror)}};
  for (const Call& call : calls) {
    if (call.name == name) return call.function;
  }
  return nullptr;
}

}  // namespace weft
