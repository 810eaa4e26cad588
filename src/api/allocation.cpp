// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory whose first home is a node of the caller's choice: pages of that node's share of the heap,
// which are at home there until somebody writes them alone (docs/internals/protocol/pages.md). They
// are handed out by a thread of that node that writes nothing to shared memory, as its node may be
// at rest in a barrier; the caller writes the block's record.
//
// Rejected: pages of the caller's share that that node writes first. Their home would move at the
// next barrier only, and each of them would cost a message.
#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "api/lending_messages.hpp"
#include "api/remote/links.hpp"
#include "api/remote/peers.hpp"
#include "api/remote/serving.hpp"
#include "api/start.hpp"
#include "base/codec.hpp"
#include "heap/heap.hpp"
#include "include/weft/weft.h"
#include "libc/interposition/hooks.hpp"
#include "runtime/interface/node.hpp"
#include "runtime/services/delegation.hpp"
#include "stacks/stacks.hpp"

namespace weft::api {
namespace {

heap::Heap& heap_here() { return *libc::hooks()->heap; }

Bytes lend(ByteView request) {
  void* const block = heap_here().lend(value_of<LendRequest>(request).bytes);
  return to_bytes(LendAnswer{reinterpret_cast<std::uintptr_t>(block)});
}

void* borrow(NodeId from, std::size_t bytes) {
  const Bytes answer = delegate(from, Delegated::kHeap, to_bytes(LendRequest{.bytes = bytes}));
  return reinterpret_cast<void*>(value_of<LendAnswer>(answer).address);
}

void* allocate_on(NodeId node, std::size_t bytes) {
  heap::Heap& heap = heap_here();
  void* const block = node == this_node()->self() ? heap.lend(bytes) : borrow(node, bytes);
  if (block != nullptr) heap.note_lent(block, bytes);
  return block;
}

void* refuse(int error) {
  errno = error;
  return nullptr;
}

}  // namespace

void start_api() {
  Node& node = *this_node();
  perform_delegated(Delegated::kHeap, lend);
  remote::serve_own_place(node);
  remote::make_links(node);
  remote::serve_operations(node);
}

}  // namespace weft::api

extern "C" [[gnu::visibility("default")]] void* weft_alloc_on(int node, std::size_t bytes) {
  using namespace weft;
  const Node* const here = this_node();
  if (node < 0 || node >= weft_nodes()) return api::refuse(EINVAL);
  // In the child of a fork all memory is its own.
  if (here == nullptr) return aligned_alloc(kPageBytes, bytes);
  void* const block = on_runtime_stack(
      [=] { return api::allocate_on(NodeId(static_cast<std::uint16_t>(node)), bytes); });
  return block != nullptr ? block : api::refuse(ENOMEM);
}
