// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "openmp/thread_local_block.hpp"

#include <link.h>

namespace weft::openmp {

std::span<std::byte> thread_local_block() {
  thread_local std::span<std::byte> block;
  thread_local bool found = false;
  if (found) return block;
  // The first object that is reported is the executable.
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* result) {
        auto& span = *static_cast<std::span<std::byte>*>(result);
        for (int i = 0; i < object->dlpi_phnum; ++i) {
          if (object->dlpi_phdr[i].p_type != PT_TLS || object->dlpi_tls_data == nullptr) continue;
          span = {static_cast<std::byte*>(object->dlpi_tls_data), object->dlpi_phdr[i].p_memsz};
        }
        return 1;
      },
      &block);
  found = true;
  return block;
}

}  // namespace weft::openmp
