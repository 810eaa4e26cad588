// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program's heap on this node: joins heap::Heap to the node that carries its messages.
#pragma once

#include "heap/heap.hpp"
#include "runtime/interface/node.hpp"

namespace weft {

class SharedHeap final : private heap::HeapPeers {
 public:
  // Answers the other nodes from now on; lives as long as the node.
  SharedHeap(const heap::HeapLayout& layout, Node& node);

  [[nodiscard]] heap::Heap& heap() { return heap_; }

 private:
  [[nodiscard]] std::uint32_t epoch() const override { return node_.epoch().value(); }
  void send_free(NodeId owner, Bytes message) override;
  [[noreturn]] void fail(const std::string& sentence) override { node_.fail(sentence); }
  void warn(const std::string& sentence) override;

  Node& node_;
  heap::Heap heap_;
};

}  // namespace weft
