// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text that another command prints.
#pragma once

#include <map>
#include <string>

namespace weft {

// All that the shell's command prints on standard output; nothing if it cannot be run. Waits for
// its end. Texts of others go to it by these variables, where no shell looks for more than a text
// in them; they are this process's own meanwhile, and are not set afterwards.
[[nodiscard]] std::string output_of(const std::string& command,
                                    const std::map<std::string, std::string>& variables);

}  // namespace weft
