// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tools of the OpenMP tools interface (OMPT). libomp starts one on each node, and calls it back on
// the threads' runtime stacks. It finishes it in its destructor, which would not run on the nodes
// that never return from main.
#include <dlfcn.h>
#include <link.h>

#include <cstdlib>
#include <cstring>

#include "openmp/real.hpp"
#include "openmp/worker.hpp"

namespace weft {
namespace {

const link_map* library_of(const void* address) {
  Dl_info info = {};
  const link_map* library = nullptr;
  if (dladdr1(address, &info, reinterpret_cast<void**>(const_cast<link_map**>(&library)),
              RTLD_DL_LINKMAP) == 0) {
    return nullptr;
  }
  return library;
}

// libomp has a weak ompt_start_tool of its own, which says that there is none.
bool tool_is_there(const link_map* libomp) {
  if (getenv("OMP_TOOL_LIBRARIES") != nullptr) return true;
  const void* const start = dlsym(RTLD_DEFAULT, "ompt_start_tool");
  return start != nullptr && library_of(start) != libomp;
}

// The destructors of one library, as the dynamic linker would call them.
void run_destructors(const link_map& library) {
  ElfW(Addr) array = 0;
  std::size_t bytes = 0;
  for (const ElfW(Dyn)* entry = library.l_ld; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_FINI_ARRAY) array = library.l_addr + entry->d_un.d_ptr;
    if (entry->d_tag == DT_FINI_ARRAYSZ) bytes = entry->d_un.d_val;
  }
  using Destructor = void (*)();
  const auto* const destructors = reinterpret_cast<const Destructor*>(array);
  for (std::size_t i = bytes / sizeof(Destructor); i > 0; --i) destructors[i - 1]();
}

}  // namespace

void finish_tools() {
  if (openmp::real().__kmpc_fork_call == nullptr) return;
  const link_map* const libomp =
      library_of(reinterpret_cast<const void*>(openmp::real().__kmpc_fork_call));
  if (libomp != nullptr && tool_is_there(libomp)) run_destructors(*libomp);
}

}  // namespace weft
