// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Processes that nodes start and leave behind: the launcher adopts them, so that it can end them
// with the job.
#pragma once

namespace weft {

// From now on, orphaned descendants become children of this process.
void adopt_descendants();

// Kills every child of this process, those that they leave behind, and so on, until none is left.
// Call when all nodes are dead.
void kill_descendants();

}  // namespace weft
