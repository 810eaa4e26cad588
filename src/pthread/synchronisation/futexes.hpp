// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <time.h>

#include <cstdint>

namespace weft::pthread {

// syscall(SYS_futex, ...) of the program: true, with what the call returns, if the word is in
// shared memory and the operation one that the job has.
[[nodiscard]] bool futex_of_job(void* word, int operation, std::uint32_t value,
                                const timespec* time, long& result);

}  // namespace weft::pthread
