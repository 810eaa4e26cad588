// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asking other nodes for iterations of a dynamic loop (Service::kLoopSteal).
#pragma once

#include "base/codec.hpp"
#include "openmp/schedules/loop_table.hpp"
#include "runtime/interface/node.hpp"

namespace weft::openmp {

struct LoopRequest {
  LoopKey key;
  LoopShape shape;
  WEFT_FIELDS(self.key.value, self.shape)
};

// Answers other nodes' requests from this node's loop table, from now on.
void serve_loop_requests(Node& node);

// Asks `victim`; blocks for the answer.
[[nodiscard]] IterationSpan request_iterations(Node& node, NodeId victim, LoopKey key,
                                               const LoopShape& shape);

}  // namespace weft::openmp
