// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a region may run on other threads than its own, which then stand in for those: all code
// that is linked must use the thread-local variables of the thread for which it runs. What weftcc
// compiles does (compiler/pass/modules/thread_local_shift.hpp). Other compilers' code uses those of
// the thread on which it runs. And a library's variables are each thread's own always, so weftcc's
// code must name none.
#pragma once

#include "compiler/linker/input_files.hpp"

namespace weft::linker {

// False where it is not known, too: bitcode, and variables that nothing here defines.
[[nodiscard]] bool thread_locals_follow(const LinkCommand& command);

}  // namespace weft::linker
