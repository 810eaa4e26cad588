// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace weft {

// Once, before the program runs.
void prepare_exit_handlers();
// The same: after the program's quick exit handlers, mapped files are written back, and all nodes
// end.
void prepare_quick_exit();

}  // namespace weft
