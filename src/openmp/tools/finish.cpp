// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The end of a tool of the OpenMP tools interface (OMPT). libomp finishes it in its destructor,
// which would not run on the nodes that never return from main.
#include <link.h>

#include <cstddef>

#include "openmp/libomp/real.hpp"
#include "openmp/tools/tool.hpp"
#include "runtime/libraries/library_of.hpp"

namespace weft {
namespace {

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
  if (!openmp::tools::watched()) return;
  const link_map* const libomp =
      library_of(reinterpret_cast<const void*>(openmp::real().__kmpc_fork_call));
  if (libomp != nullptr) run_destructors(*libomp);
}

}  // namespace weft
