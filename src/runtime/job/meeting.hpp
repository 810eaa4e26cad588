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

// Exchanges addresses with all nodes, and checks that all have the same `fingerprint`: the program
// with its libraries and their addresses, and what else must be equal, in words. `exposed` comes to
// know the nodes of this host, where they share memory at all. Blocks until all nodes are here.
[[nodiscard]] Result<std::unique_ptr<Transport>> meet_other_nodes(
    Bootstrap& bootstrap, const NodeOptions& options, std::vector<std::string> fingerprint,
    HostMemory& exposed, const PeerFailureHandler& on_peer_failure);

}  // namespace weft
