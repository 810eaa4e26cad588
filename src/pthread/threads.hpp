// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace weft::pthread {

// Returns when the program's own threads on this node have ended; not the one that runs main.
void wait_for_threads();

}  // namespace weft::pthread
