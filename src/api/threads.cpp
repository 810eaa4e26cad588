// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a program's threads start, by its own choice.
#include "include/weft/weft.h"
#include "runtime/interface/thread_spreading.hpp"

extern "C" [[gnu::visibility("default")]] int weft_thread_on(int node) {
  if (node != WEFT_ANY_NODE && (node < 0 || node >= weft_nodes())) return WEFT_ERROR_NODE;
  weft::node_for_threads =
      node == WEFT_ANY_NODE ? weft::kNoNode : weft::NodeId(static_cast<std::uint16_t>(node));
  return WEFT_OK;
}
