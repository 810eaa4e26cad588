// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace weft {

// Lets this process use UCX until it is gone: exit() then leaves out the destructors of UCX's
// libraries. To be called when they have all been loaded, so after a worker was made.
void let_ucx_outlive_exit();

}  // namespace weft
