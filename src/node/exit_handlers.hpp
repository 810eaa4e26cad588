// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runtime/node.hpp"

namespace weft {

// Registers other nodes' exit handlers on this one. Once, before the program runs.
void serve_exit_handlers(Node& node);
// The same: after the program's quick exit handlers, mapped files are written back.
void prepare_quick_exit();

}  // namespace weft
