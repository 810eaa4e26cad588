// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flushes that OpenMP implies where this node's threads may synchronise among themselves, unseen by
// the node: barriers, tasks, ordered, regions of libomp's. An explicit flush on another node sees
// them (protocol/operations.md, 21). It costs one store.
#pragma once

#include "runtime/interface/node.hpp"

namespace weft::openmp {

inline void imply_flush() {
  if (Node* const node = this_node(); node != nullptr) node->note_flush();
}

}  // namespace weft::openmp
