// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace weft::api {

// Serves the other nodes; on each node, once, before the program runs.
void start_api();

}  // namespace weft::api
