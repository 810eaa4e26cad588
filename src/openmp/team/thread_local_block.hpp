// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program's thread-local data (threadprivate variables, as clang makes them): a block for the
// executable and one for each library of the program that has any. Where it lies in the thread's
// private memory, its addresses say nothing on another node (runtime/addresses/thread_places.hpp).
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/codec.hpp"

namespace weft::openmp {

// The calling thread's block that has this address; empty if there is none.
[[nodiscard]] std::span<std::byte> thread_local_block(const void* pointer);

// Whether the program has any such data.
[[nodiscard]] bool has_thread_local_data();
// Why another thread cannot stand in for one with such data; empty: it can. Asked by the main
// thread, whose blocks are shared if those of any thread at a place are.
[[nodiscard]] std::string_view why_thread_locals_stay();

// A copy of a thread's block, for another node.
struct ThreadLocalImage {
  std::uintptr_t begin = 0;  // where the thread has it
  Bytes contents;
  WEFT_FIELDS(self.begin, self.contents)
};

// Copies of the calling thread's blocks that one of the pointers leads to.
[[nodiscard]] std::vector<ThreadLocalImage> thread_local_images(std::span<void* const> pointers);

}  // namespace weft::openmp
