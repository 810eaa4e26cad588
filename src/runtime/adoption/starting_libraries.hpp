// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Libraries of the program that are about to start. The dynamic linker would run their constructors
// on every node, and before anything is shared: what they write would be written many times, and
// what they allocate would be private. So the first constructor of each (src/start/library.cpp)
// calls here, and the others are taken out of its list. They run later, once, where the program
// runs: those of libraries that the program is linked with on node 0, before the executable's own.
// Foreign libraries' constructors come here by another way (foreign_constructors.hpp).
#pragma once

#include <vector>

#include "runtime/libraries/program_objects.hpp"

namespace weft {

using Constructor = void (*)(int argc, char** argv, char** environment);

struct StartingLibrary {
  ProgramObject object;
  std::vector<Constructor> constructors;
  bool is_foreign = false;
};

// Those that came before the program was started, in the order in which they came. From the first
// call on, further ones must be expected.
[[nodiscard]] const std::vector<StartingLibrary>& libraries_at_start();

// Those of them that weftcc linked.
[[nodiscard]] std::vector<ProgramObject> objects_at_start();

// The calling thread loads libraries: those that start meanwhile go to `list`. Null: it does not
// any more. A library that nobody expects ends the job with a sentence.
void expect_libraries(std::vector<StartingLibrary>* list);

// It is about to start, and its constructors have been taken out.
void note_starting(StartingLibrary library);

// Runs the constructors that were put off, on the calling thread.
void run_constructors(const std::vector<StartingLibrary>& libraries);

// What constructors get; to be set before any run.
void set_program_arguments(int argc, char** argv);

}  // namespace weft
