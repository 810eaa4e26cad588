// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "runtime/interface/node.hpp"

namespace weft::openmp {

// So that what is displayed (OMP_DISPLAY_AFFINITY, OMP_DISPLAY_ENV) says which node's threads it is
// about, and what is the same everywhere once. Before libomp starts.
void describe_node_in_affinity(const Node& node);

// The calling thread begins a region, whose clause binds threads like this (0: none): says where it
// is, if that is wanted and has changed (OMP_DISPLAY_AFFINITY). On the runtime stack.
void display_affinity_in_region(int proc_bind);

// The format that the program has set on node 0 since the last region began there; empty if none.
// A region takes it to the other nodes.
[[nodiscard]] std::string take_new_affinity_format();
void adopt_affinity_format(const std::string& format);

}  // namespace weft::openmp
