// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runtime/interface/node.hpp"

namespace weft::process {

// Ends the job with a sentence that names the call: what it asks for cannot be had on several
// nodes.
[[noreturn]] void refuse(Node& node, const char* call);

}  // namespace weft::process
