// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a program may ask of the node that it runs on. In the child of a fork there is none.
#include "base/accesses/shared_calls.hpp"
#include "include/weft/weft.h"
#include "protocol/interface/home_facts.hpp"
#include "runtime/interface/node.hpp"
#include "stacks/stacks.hpp"

extern "C" [[gnu::visibility("default")]] const char* weft_error_text(int error) {
  return weft::shared_call_error(error);
}

extern "C" [[gnu::visibility("default")]] int weft_node() {
  const weft::Node* const node = weft::this_node();
  return node == nullptr ? 0 : node->self().value();
}

extern "C" [[gnu::visibility("default")]] int weft_nodes() {
  const weft::Node* const node = weft::this_node();
  return node == nullptr ? 1 : static_cast<int>(node->node_count());
}

extern "C" [[gnu::visibility("default")]] int weft_home_of(const void* address) {
  using namespace weft;
  Node* const node = this_node();
  if (node == nullptr) return address == nullptr ? WEFT_ERROR_RANGE : 0;
  const auto offset = node->offset_of(address);
  if (!offset) return WEFT_ERROR_RANGE;
  // A handler may have interrupted anything, the runtime for one.
  if (is_in_signal_handler()) return WEFT_ERROR_UNKNOWN;
  const NodeId home = on_runtime_stack([&] { return node->home_of(offset->page()); });
  return home == kNoNode ? WEFT_ERROR_UNKNOWN : home.value();
}
