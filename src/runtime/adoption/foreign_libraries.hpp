// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Foreign libraries: those that the program uses and that weftcc did not make, as zlib and SQLite.
// What they allocate while they work for the program is shared, so that a handle can be used on any
// node. To this end their calls of malloc and its kin, which the dynamic linker has bound, are
// bound once more (libc/allocation/library_allocation.hpp). Rejected: to tell callers of malloc by
// their return address, as that costs each call, and a library that keeps malloc's address in a
// variable looks like whoever uses it.
//
// Their static data is shared as well, where no constructor has run before there is a job: most
// have none, and those of most others are put off (foreign_constructors.hpp). library_kinds.hpp
// says which libraries are foreign.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "runtime/libraries/executable.hpp"

namespace weft {

// Those that are loaded now become the program's; `loaded`: the base addresses of what the program
// has just loaded. Calls are serialised by the caller; what was the program's stays as it is.
void adopt_foreign_libraries(const std::vector<std::uintptr_t>& loaded = {});

// A foreign library whose static data is shared as well.
struct SharedForeignData {
  std::string path;
  DataSegment data;
  std::string fingerprint;  // of its contents, which must be equal on all nodes
};
// Of those that are loaded now, but those in `before` (by base address). After
// adopt_foreign_libraries(), and before any code of theirs has run.
[[nodiscard]] std::vector<SharedForeignData> shared_foreign_data(
    const std::set<std::uintptr_t>& before = {});

}  // namespace weft
