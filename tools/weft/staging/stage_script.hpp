// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How files get to a host that has nothing of Weft, and leave it again. A shell there makes a fresh
// folder, reads the files from its standard input, and runs the `weft agent` that came with them.
// It waits for the agent's end, however that ends, and removes the folder. So nothing but the shell
// itself has to survive for the host to be clean.
//
// It takes a POSIX shell, and mkdir, dd, chmod, rm and sed of GNU, which every Debian has. `read`
// and `dd` take no byte more than they are asked for: what follows the files is the agent's.
//
// Rejected: tar, which reads a pipe to its end, and says of a full disk how many bytes it wrote.
#pragma once

#include <string>
#include <vector>

namespace weft {

// The command for such a host, one word each: `folder` is absolute and must not exist there, `weft`
// is the name of the command below it, `library_path` is for the agent.
[[nodiscard]] std::vector<std::string> command_to_stage(const std::string& folder,
                                                        const std::string& weft,
                                                        const std::string& library_path);

}  // namespace weft
