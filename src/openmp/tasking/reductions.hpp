// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// task_reduction, in_reduction and reduction(task, ...). A group with reduction variables has a
// descriptor in the shared heap, whose address names it to the program on every node. A thread that
// executes a task of the group gets private copies from its node's heap when it first asks; their
// addresses go to the group's node with the news that the task has ended, and are combined into the
// original at the end of the group.
#pragma once

#include "openmp/team/team.hpp"

namespace weft::openmp::tasks {

// At the end of the member's innermost group, when all of its tasks have ended.
void combine_copies(Member& member);

// Whether the group was cancelled; false outside of groups. `cancel`: returns whether there is one.
[[nodiscard]] bool is_taskgroup_cancelled(Member& member);
bool cancel_taskgroup(Member& member);

}  // namespace weft::openmp::tasks
