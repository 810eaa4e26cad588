// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program's allocations: on the shared heap when there is a node, else the C library's. Used by
// the C entry points (allocation.cpp) and by C++'s operators (operators.cpp).
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::libc {

// Null, with errno set, if there is no room.
[[nodiscard]] void* program_allocate(std::size_t bytes);
// `alignment` is a power of two.
[[nodiscard]] void* program_allocate_aligned(std::size_t alignment, std::size_t bytes);
// Of program_allocate*, or any block of the C library's. errno stays as it is.
void release(void* block);

// A block of program_allocate* on the shared heap.
[[nodiscard]] bool is_on_shared_heap(const void* block);
// In this node's share of it: of pages that hold blocks.
[[nodiscard]] std::uint64_t bytes_on_shared_heap();

}  // namespace weft::libc
