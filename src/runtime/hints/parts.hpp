// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A node's part of memory that a hint divides. Units go to threads as schedule(static) deals the
// iterations of a loop over them (WEFT_BLOCK), or schedule(static, 1) (WEFT_CYCLIC); the nodes have
// as many threads each. So each thread finds on its node what it is about to use:
//
//   10 units, 2 nodes of 2 threads     block    0 0 0 1 1 1 | 2 2 3 3
//                                      cyclic   0 1 | 2 3 | 0 1 | 2 3 | 0 1
#pragma once

#include <vector>

#include "base/ids.hpp"
#include "runtime/hints/hint.hpp"

namespace weft {

struct NodeThreads {
  unsigned nodes = 1, threads_per_node = 1;
};

// Bytes [first, end) of the program's memory.
struct ByteRange {
  std::uintptr_t first = 0, end = 0;
  bool operator==(const ByteRange&) const = default;
};

// The node's bytes, ascending; those that are apart by less than a page are one range.
[[nodiscard]] std::vector<ByteRange> part_of(const Hint& hint, NodeId node, NodeThreads threads);

// The pages that have their home at the node if each is where its first byte of the hint belongs,
// as ranges of bytes of the hint. No page is two nodes'.
[[nodiscard]] std::vector<ByteRange> home_part_of(const Hint& hint, NodeId node,
                                                  NodeThreads threads);

}  // namespace weft
