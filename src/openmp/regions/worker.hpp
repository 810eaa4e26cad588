// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OpenMP across nodes: what the runtime calls. The rest of this layer is entry points that the
// compiled program calls (kmpc_* and omp_*); see docs/decisions/0006-openmp-over-libomp.md.
#pragma once

#include "runtime/interface/node.hpp"

namespace weft {

// Called once, by the main thread of every node, when this_node() is there and before the program's
// constructors run. Threads are numbered across nodes from here on. Ends with a barrier of the job,
// so that what any layer serves is served on all nodes before the program runs.
void start_openmp(Node& node);

// The main thread of every node but 0, on its runtime stack: takes part in the parallel regions
// that node 0 publishes, until the program ends.
void run_worker_node(Node& node);

// Whether this node takes part in a region that spans nodes.
[[nodiscard]] bool in_parallel_region();

}  // namespace weft
