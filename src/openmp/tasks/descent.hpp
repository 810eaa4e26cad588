// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which tasks descend from which, across nodes: the task scheduling constraint asks. A thread that
// has suspended a tied task executes only descendants of it, or a lock that the task holds might be
// waited for above it on the same stack.
#pragma once

#include <vector>

#include "openmp/tasks/task.hpp"

namespace weft::openmp::tasks {

// Whether a thread may execute `task` whose innermost suspended task is `waiting` (null: none but
// implicit tasks at a barrier). Both are on this node.
[[nodiscard]] bool may_take(const Task& task, const Task* waiting);

// The same for a suspended task of another node; 0: none.
[[nodiscard]] bool may_give(const Task& task, Number waiting);

// Its ancestors' numbers, innermost first. Those very far out may be missing.
[[nodiscard]] std::vector<Number> ancestors_of(const Task& task);

// The names of a group and those around it, innermost first; null is none.
[[nodiscard]] std::vector<GroupName> names_from(const Group* group);

}  // namespace weft::openmp::tasks
