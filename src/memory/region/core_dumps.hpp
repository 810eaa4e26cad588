// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a core dump has of shared memory. The kernel goes through all that is mapped, page by page,
// and gives memory to pages of a file that had none. Shared memory is mapped twice and may be
// terabytes, nearly all of it unused: a node that crashed would take minutes to end, and memory
// that is not there. So nothing of it is dumped, until a crash shows what is used.
#pragma once

#include <cstdint>

#include "memory/region/region.hpp"

namespace weft {

void hide_from_dumps(void* memory, std::uint64_t bytes);

// The used pages, at the program's addresses; what lies between two runs of them that are near to
// each other as well. In a signal handler of the process that is about to be dumped.
void show_in_dumps(const Region& region);

}  // namespace weft
