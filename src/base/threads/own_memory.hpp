// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that Weft's own code maps while the program runs: signal stacks, buffers of system calls.
//
// While the program loads a library, each node leaves the kernel a single choice of addresses
// (runtime/loading/loading_window.hpp), and what another thread maps then would shift the library.
// So for that time a range is set aside, and this memory lies in it.
#pragma once

#include <cstddef>

namespace weft {

// Whole pages of zeros, which the kernel need not have reserved; null if there are none. From any
// thread. munmap gives them back.
[[nodiscard]] void* map_own_memory(std::size_t bytes);

// As long as one lives, map_own_memory takes nothing of the kernel's choice. Several may live at a
// time. If address space is limited (ulimit -v), it may have no effect.
class OwnMemoryAside {
 public:
  OwnMemoryAside();
  ~OwnMemoryAside();
  OwnMemoryAside(const OwnMemoryAside&) = delete;
  OwnMemoryAside& operator=(const OwnMemoryAside&) = delete;
};

}  // namespace weft
