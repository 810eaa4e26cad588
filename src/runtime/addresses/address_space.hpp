// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the kernel maps what has no address of its own. It takes the first gap in one direction, so
// filling gaps moves its choice on. What fills them can't be touched and takes no memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace weft {

struct Filler {
  std::byte* begin;
  std::size_t bytes;
};

// Whether the kernel chooses downwards; with some settings it goes upwards.
[[nodiscard]] bool kernel_maps_downwards();

// Adds to `fillers` until the kernel's choice is below `end` (downwards), or at or above `begin`
// (upwards). Allocates nothing as long as there is capacity. If address space is limited
// (ulimit -v), it ends early.
void fill_gaps_down_to(std::uintptr_t end, std::vector<Filler>& fillers);
void fill_gaps_up_to(std::uintptr_t begin, std::vector<Filler>& fillers);

}  // namespace weft
