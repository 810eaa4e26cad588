// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/accesses/shared_calls.hpp"
#include "runtime/compiled_code/shared_pages.hpp"
#include "runtime/interface/node.hpp"
#include "stacks/stacks.hpp"

namespace weft::api {

// Calls work(node, blocks) if there is anything to do, and returns what the program is told. In the
// child of a fork nobody is asked, and a handler may have interrupted anything, the runtime for
// one.
template <typename Work>
int perform(const SharedCall& call, Work work) {
  if (call.error != WEFT_OK || call.blocks.empty()) return call.error;
  Node* const node = this_node();
  if (node == nullptr) return WEFT_OK;
  if (shared_pages(*node, call.blocks.first, call.blocks.end()).count == 0) return WEFT_ERROR_RANGE;
  if (!is_in_signal_handler()) on_runtime_stack([&] { work(*node, call.blocks); });
  return WEFT_OK;
}

}  // namespace weft::api
