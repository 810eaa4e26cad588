// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// WEFT_CHECK=libraries, at the start: says on standard error of each foreign library what is shared
// of it, and how many atomic instructions its code has. Those are atomic among the threads of one
// node only. They are counted by binutils' objdump: to find them takes a disassembler, as many
// other instructions have a byte that looks like a lock prefix.
#pragma once

#include "base/ids.hpp"

namespace weft {

// Before there are threads; node 0 says it for all.
void list_foreign_libraries(NodeId self);

}  // namespace weft
