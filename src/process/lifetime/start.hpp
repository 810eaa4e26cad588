// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes the nodes of a job one process to the program (calls.hpp).
#pragma once

#include <cstddef>
#include <vector>

#include "process/requests/topics.hpp"
#include "runtime/interface/node.hpp"

namespace weft::process {

// What other nodes are told before the program runs.
struct Beginning {
  Identity identity;
  std::vector<char*> environment;  // as `environ`
  WEFT_FIELDS(self.identity, self.environment)
};

// On each node, before the first barrier of all nodes, by its main thread.
void start_process(Node& node);
// On node 0, after that barrier, just before the program runs: puts the environment where every
// node can read it, below `top`, and tells the others. Returns where the stack goes on.
[[nodiscard]] std::byte* share_process(Node& node, std::byte* top);

}  // namespace weft::process
