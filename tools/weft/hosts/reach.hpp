// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a launcher gets to a host.
#pragma once

#include <string>
#include <vector>

namespace weft {

// True for this host: by its own name, or by a name or address that is one of its own addresses.
[[nodiscard]] bool is_this_host(const std::string& name);

// The path of the `weft` of this process.
[[nodiscard]] std::string own_command();
// The command of an agent where a host has Weft in the same place.
[[nodiscard]] std::vector<std::string> command_of_agent();

// The command that runs `command` on the host. `shell` is the user's WEFT_SSH, words separated by
// spaces; empty: ssh. An ssh never asks for a password, and gives up on a host that does not answer
// within so many seconds (0: a minute, at the start alone).
[[nodiscard]] std::vector<std::string> command_to_reach(const std::string& host,
                                                        const std::string& shell,
                                                        unsigned lost_after_seconds,
                                                        const std::vector<std::string>& command);

}  // namespace weft
