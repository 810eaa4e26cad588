// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/services/shared_heap.hpp"

#include <fmt/format.h>
#include <unistd.h>

namespace weft {

SharedHeap::SharedHeap(const heap::HeapLayout& layout, Node& node)
    : node_(node), heap_(layout, node.self(), *this) {
  heap_.cache_blocks();
  node_.serve(Service::kFree, [this](NodeId from, ByteView request) {
    heap_.handle_free(from, request);
    return Bytes();
  });
}

void SharedHeap::send_free(NodeId owner, Bytes message) {
  node_.notify(owner, Service::kFree, std::move(message));
}

void SharedHeap::warn(const std::string& sentence) {
  const std::string line = fmt::format("weft: node {}: {}\n", node_.self().value(), sentence);
  // A program thread calls this, maybe with the C library's output locked: straight to the kernel.
  (void)!write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace weft
