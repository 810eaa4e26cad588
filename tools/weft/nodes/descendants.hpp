// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Processes that nodes start and leave behind: the launcher adopts them, so that it can end them
// with the job.
#pragma once

#include <sys/types.h>

namespace weft {

// From now on, orphaned descendants become children of this process.
void adopt_descendants();

// Kills every child of this process, those that they leave behind, and so on, until none is left
// but those that are spared. Call when all nodes are dead.
void kill_descendants();

// A child that whoever has started it ends and waits for: it may have to clean up (`--stage`).
void spare_child(pid_t child);
void spare_no_longer(pid_t child);

}  // namespace weft
