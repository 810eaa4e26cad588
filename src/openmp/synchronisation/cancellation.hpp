// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cancellation of parallel, for and sections in a team that spans nodes. A request holds from a
// barrier of the team to the next: it is told to all nodes, so that their threads notice at their
// next cancellation point, and what the threads do after that barrier is decided by it: each node
// votes whether it knows of a request, so that all threads get the same answer.
#pragma once

#include <cstdint>

#include "openmp/team/team.hpp"

namespace weft::openmp {

// Called by every node at its start.
void serve_cancellations(Node& node);

// The votes by which a node tells at a barrier what it knows was cancelled.
[[nodiscard]] std::uint8_t cancellation_votes(const Team& team);

// All bits that cancellation_votes may set.
inline constexpr std::uint8_t kCancellationVotes =
    1U << kCancelParallel | 1U << kCancelLoop | 1U << kCancelSections;

}  // namespace weft::openmp
