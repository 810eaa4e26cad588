// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "base/result.hpp"
#include "weft/run/run_options.hpp"

namespace weft {

// `weft run`: starts the nodes and returns the exit status of the job. Usage errors and what keeps
// a job from starting are said on standard error.
// `version` is Weft's.
int run_job(const RunOptions& options, const char* version);

// Absolute path of the libweft-node.so that belongs to this command.
[[nodiscard]] Result<std::string> node_library_beside_command();

}  // namespace weft
