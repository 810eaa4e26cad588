// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the program consists of: the executable, and the shared libraries that weftcc linked. Their
// data is shared, and any node may run their code. Of other libraries: foreign_libraries.hpp.
#pragma once

#include <span>
#include <string>

#include "runtime/libraries/executable.hpp"

namespace weft {

struct ProgramObject {
  std::string path;
  const std::byte* begin = nullptr;  // of all that is mapped of it
  const std::byte* end = nullptr;
  DataSegment data;
};

// The executable, or a sentence that says why it cannot be shared.
[[nodiscard]] std::string find_executable(ProgramObject& executable);
// The loaded object that has this address; without a path if there is none.
[[nodiscard]] ProgramObject object_at(const void* address);

// Whether weftcc linked it: it needs libweft.so.
[[nodiscard]] bool is_linked_by_weftcc(const dl_phdr_info& object);

// Whether a thread that runs its code for another one uses that thread's thread-local variables of
// the program (compiler/linker/thread_locals.hpp).
[[nodiscard]] bool thread_locals_follow(const dl_phdr_info& object);

// What to do about a library that cannot be shared although weftcc compiled some of it: another
// command linked it. Empty for all other objects.
[[nodiscard]] std::string complaint_about(const dl_phdr_info& object);
// The first such complaint about what is loaded now.
[[nodiscard]] std::string complaint_about_libraries();

// From now on the object is a part of the program. False if there are too many. Calls are
// serialised by the caller; the rest may be called at any time.
[[nodiscard]] bool add_program_object(ProgramObject object);
[[nodiscard]] std::span<const ProgramObject> program_objects();
[[nodiscard]] bool is_in_program(const void* address);

}  // namespace weft
