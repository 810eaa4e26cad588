// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "memory/region/reserved_memory.hpp"

#include <sys/mman.h>

#include "memory/region/system_failure.hpp"

namespace weft {

Result<ReservedMemory> ReservedMemory::create(std::uint64_t bytes) {
  void* begin = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (begin == MAP_FAILED) {
    return system_failure(errno, fmt::format("cannot reserve {} bytes of private memory", bytes));
  }
  return ReservedMemory(static_cast<std::byte*>(begin), bytes);
}

ReservedMemory::~ReservedMemory() {
  if (begin_ != nullptr) munmap(begin_, bytes_);
}

}  // namespace weft
