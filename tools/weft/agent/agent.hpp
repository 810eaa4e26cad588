// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `weft agent`: the launcher's hand on another host, for one job. It lives as long as its
// connection, which is its standard input and output, and takes its nodes with it.
#pragma once

namespace weft {

// Serves one job. Returns the exit status.
int serve_as_agent(const char* version);

}  // namespace weft
