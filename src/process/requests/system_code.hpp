// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who calls: the program and its libraries, or what runs it. Only for the former a job is one
// process: the transport, say, gives other nodes its own process number to be reached by.
#pragma once

namespace weft::process {

// Finds the code of Weft, libomp, the transport's libraries and the C library, all loaded by now.
// Once, before the program runs.
void find_system_code();
[[nodiscard]] bool is_system_code(const void* address);

}  // namespace weft::process
