// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "libc/testing/test_node.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "heap/heap.hpp"
#include "libc/interposition/hooks.hpp"
#include "libc/interposition/io_bounce.hpp"
#include "stacks/stacks.hpp"

namespace {

using weft::Bytes;
using weft::NodeId;

class Alone : public weft::heap::HeapPeers {
 public:
  [[nodiscard]] std::uint32_t epoch() const override { return 1; }
  void send_free(NodeId, Bytes) override { std::abort(); }
  [[noreturn]] void fail(const std::string& sentence) override {
    std::fprintf(stderr, "weft: %s\n", sentence.c_str());
    std::abort();
  }
  void warn(const std::string& sentence) override {
    std::fprintf(stderr, "weft: %s\n", sentence.c_str());
  }
};

// Children of the tests get by with what they have.
weft::libc::Hooks hooks{.detach_child = [] {}};
std::byte* shared_begin;
std::byte* shared_end;

}  // namespace

WEFT_EXPORT void test_node_start(std::size_t bytes) {
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  const weft::heap::HeapLayout layout(reinterpret_cast<std::uintptr_t>(memory), bytes, 1);
  hooks.heap = new weft::heap::Heap(layout, NodeId(0), *new Alone);
  weft::libc::set_hooks(&hooks);
}

WEFT_EXPORT void test_node_share(void* begin, std::size_t bytes) {
  shared_begin = static_cast<std::byte*>(begin);
  shared_end = shared_begin + bytes;
  hooks.is_shared = [](const void* pointer) {
    return shared_begin <= pointer && pointer < shared_end;
  };
  weft::libc::set_hooks(&hooks);
}

WEFT_EXPORT void test_node_set_program_stack(std::byte* bottom, std::byte* top) {
  weft::set_program_stack(bottom, top);
}

WEFT_EXPORT void test_node_call_on_program_stack(void (*f)(void*), void* argument) {
  weft::call_on_program_stack(f, argument);
}

WEFT_EXPORT void test_node_wrap_io(bool on) { weft::libc::set_wrap_io(on); }

WEFT_EXPORT void test_node_set_detach_child(void (*detach_child)()) {
  hooks.detach_child = detach_child;
}

WEFT_EXPORT bool test_node_owns(const void* block) { return hooks.heap->contains(block); }

WEFT_EXPORT std::size_t test_node_bytes_in_use() {
  hooks.heap->trim();
  return hooks.heap->usage().bytes_in_use;
}

WEFT_EXPORT bool test_node_own_memory_is_shared() {
  const std::vector<std::string> strings(10, std::string(100, 'x'));
  return hooks.heap->contains(strings.data()) || hooks.heap->contains(strings.back().data());
}
