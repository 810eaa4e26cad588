// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "weft/run/run_options.hpp"

namespace weft {

// `weft run`: starts the nodes and returns the exit status of the job. Usage errors and what keeps
// a job from starting are said on standard error.
// `version` is Weft's.
int run_job(const RunOptions& options, const char* version);

}  // namespace weft
