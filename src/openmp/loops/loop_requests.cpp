// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "openmp/loops/loop_requests.hpp"

#include "openmp/team/team.hpp"

namespace weft::openmp {

void serve_loop_requests(Node& node) {
  node.serve(Service::kLoopSteal, [](NodeId, ByteView bytes) {
    const auto request = value_of<LoopRequest>(bytes);
    return to_bytes(loop_table().answer(request.key, request.shape));
  });
}

IterationSpan request_iterations(Node& node, NodeId victim, LoopKey key, const LoopShape& shape) {
  return value_of<IterationSpan>(
      node.call(victim, Service::kLoopSteal, to_bytes(LoopRequest{key, shape})));
}

}  // namespace weft::openmp
