// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which of its networks a host uses to reach the other hosts of a job.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "weft/agent/agent_messages.hpp"

namespace weft {

// A host as it sees itself.
struct HostView {
  std::string name;  // for users
  std::vector<HostAddress> addresses;
  std::string reached_at;  // the address at which ssh has reached it, where that is known
};

// The address of each host, and so its interface. `wish` is what the user wants (--net): the name
// of an interface, a network such as 10.1.0.0/16 or fd00::/64, a list of these (the first that all
// hosts have), or nothing. Then it is the network
// by which the hosts were reached, or else one that all of them have in common; never loopback, a
// bridge, or one in which two hosts have the same address. Fails with a sentence that names the
// host that has no such network.
[[nodiscard]] Result<std::vector<HostAddress>> choose_addresses(const std::vector<HostView>& hosts,
                                                                const std::string& wish);

}  // namespace weft
