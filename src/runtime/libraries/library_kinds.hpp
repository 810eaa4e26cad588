// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which of the loaded libraries are the program's although weftcc did not make them, and which of
// those have to be started on each node.
//
// Foreign libraries are what the executable, weftcc's libraries or a library loaded by them needs,
// and so on, but not through the system's (the C library, OpenMP's, UCX), and none that one of
// those needs itself: their threads have locks of the node's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/libraries/loaded_objects.hpp"

namespace weft {

struct ForeignLibrary {
  LoadedObject object;
  // Why its constructors run on each node, before there is a job, and its static data is the
  // node's own: the end of a sentence that begins with its name. Empty: it is as the program's.
  std::string own_because;
};

// Of those that are loaded now. The program counts as having loaded those of which it is told.
[[nodiscard]] std::vector<ForeignLibrary> foreign_libraries();
void note_loaded_by_program(std::uintptr_t base);

}  // namespace weft
