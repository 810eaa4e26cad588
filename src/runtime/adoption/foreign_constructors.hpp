// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constructors of foreign libraries are put off, as those of weftcc's libraries are
// (starting_libraries.hpp): they run once, on node 0, where what they write and allocate is shared.
// Such a library does not call Weft first, so all of its list is overwritten before the dynamic
// linker reads it: by the executable's DT_PREINIT_ARRAY (src/start/beginning.cpp), which comes
// before any constructor. The first entry then notes when it would have started, so that libraries
// start in the dynamic linker's order.
//
// Left alone are those of which library_kinds.hpp says why.
#pragma once

#include <cstdint>
#include <set>

namespace weft {

// Of the libraries that are loaded and not in `started`, by base address.
void put_off_foreign_constructors(const std::set<std::uintptr_t>& started);

[[nodiscard]] bool has_constructors_put_off(std::uintptr_t base);

}  // namespace weft
