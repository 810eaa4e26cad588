// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runtime/node.hpp"

namespace weft::openmp {

// So that what libomp displays by itself (OMP_DISPLAY_AFFINITY, OMP_DISPLAY_ENV) says which node's
// threads it is about, and what is the same everywhere once. Before libomp starts.
void describe_node_in_affinity(const Node& node);

}  // namespace weft::openmp
