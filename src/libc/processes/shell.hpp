// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// system, popen and pclose. The C library's hand the environment's strings to the kernel as they
// are. Those lie in shared memory, and where a page of them is not here, the kernel cannot start
// the shell. So these start it with a copy. Rejected: to put a copy in place of `environ` for the
// time of the call, as getenv of other threads would find it.
#pragma once

#include <cstdio>

namespace weft::libc {

// On the runtime stack; text in private memory. As system and popen, of a node of a job.
[[nodiscard]] int run_shell(const char* command);
[[nodiscard]] FILE* open_shell(const char* command, const char* mode);
// As pclose, of a stream of this node's.
[[nodiscard]] int close_shell(FILE* stream);

}  // namespace weft::libc
