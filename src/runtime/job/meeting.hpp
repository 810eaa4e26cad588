// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the nodes of a job find each other, before anything is shared.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "memory/exposed/host_memory.hpp"
#include "runtime/bootstrap/bootstrap.hpp"
#include "runtime/options/options.hpp"
#include "transport/transport.hpp"

namespace weft {

// Exchanges addresses with all nodes, and checks that all run the same program with the same
// libraries at the same addresses. `foreign_data`: what else must be equal, in words. `exposed`
// comes to know the nodes of this host, where they share memory at all. Blocks until all nodes are
// here.
[[nodiscard]] Result<std::unique_ptr<Transport>> meet_other_nodes(
    Bootstrap& bootstrap, const NodeOptions& options, const std::vector<std::string>& foreign_data,
    HostMemory& exposed, const PeerFailureHandler& on_peer_failure);

}  // namespace weft
