// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace weft {

// syscall(SYS_membarrier, command, ...) of the program. False: it is the kernel's. Else `result`
// and errno are set.
[[nodiscard]] bool membarrier_of_job(int command, long& result);

}  // namespace weft
