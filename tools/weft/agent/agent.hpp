// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `weft agent`: the launcher's hand on another host, for one job. It lives as long as its
// connection, which is its standard input and output, and takes its nodes with it.
#pragma once

#include <string>

namespace weft {

// Serves one job. `stage` is the folder with the files that the agent came with, which whoever has
// started it removes afterwards; empty: there is none. Returns the exit status.
int serve_as_agent(const char* version, const std::string& stage);

}  // namespace weft
