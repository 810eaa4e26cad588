// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host on which this process runs, for nodes and their launchers.
#pragma once

#include <string>

namespace weft {

// The name by which this host is told to users.
[[nodiscard]] std::string host_name();

// Processors that this process may use; at least 1.
[[nodiscard]] unsigned usable_processors();

}  // namespace weft
