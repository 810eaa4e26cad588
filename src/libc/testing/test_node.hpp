// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Test support: a node library in small. It holds src/libc and a heap over ordinary memory, and is
// linked exactly as libweft-node.so is.
#pragma once

#include <cstddef>

extern "C" {
// From now on the program's allocations come from a heap of `bytes`, in memory that children share.
void test_node_start(std::size_t bytes);
// From now on [begin, begin + bytes) counts as shared memory for I/O, with calls wrapped or not.
void test_node_share(void* begin, std::size_t bytes);
void test_node_wrap_io(bool on);
// The library's switch between stacks (stacks/stacks.hpp), which knows the calling thread's stacks.
void test_node_set_program_stack(std::byte* bottom, std::byte* top);
void test_node_call_on_program_stack(void (*f)(void*), void* argument);
// What a forked child does first; null: nothing, and so it must not go on.
void test_node_set_detach_child(void (*detach_child)());
[[nodiscard]] bool test_node_owns(const void* block);
[[nodiscard]] std::size_t test_node_bytes_in_use();
// Allocates with the library's own operator new, and frees it again; true if it was shared.
[[nodiscard]] bool test_node_own_memory_is_shared();
}
