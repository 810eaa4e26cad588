// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/addresses/later_memory.hpp"

namespace weft {
namespace {

Driver* driver = nullptr;

}  // namespace

void serve_later_memory(Driver& node) {
  driver = &node;
  node.serve(Service::kOpenLater, [](NodeId, ByteView request) {
    // Under the node's lock already.
    const Status opened = driver->memory().open_stage(value_of<unsigned>(request));
    if (!opened) driver->fail(opened.error());
    return Bytes();
  });
}

void open_later_memory(unsigned stage) {
  if (const Status opened = driver->open_stage(stage); !opened) driver->fail(opened.error());
  for (unsigned k = 0; k < driver->node_count(); ++k) {
    const NodeId node(static_cast<std::uint16_t>(k));
    if (node != driver->self()) (void)driver->call(node, Service::kOpenLater, to_bytes(stage));
  }
}

}  // namespace weft
