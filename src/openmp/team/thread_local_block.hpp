// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program's thread-local data (threadprivate variables, as clang makes them): a block for the
// executable and one for each library of the program that has any. It lies in each thread's private
// memory, so its addresses say nothing on another node.
#pragma once

#include <span>
#include <vector>

#include "base/codec.hpp"

namespace weft::openmp {

// The calling thread's block that has this address; empty if there is none.
[[nodiscard]] std::span<std::byte> thread_local_block(const void* pointer);

// Whether the program has any such data.
[[nodiscard]] bool has_thread_local_data();

// A copy of a thread's block, for another node.
struct ThreadLocalImage {
  std::uintptr_t begin = 0;  // where the thread has it
  Bytes contents;
  WEFT_FIELDS(self.begin, self.contents)
};

// Copies of the calling thread's blocks that one of the pointers leads to.
[[nodiscard]] std::vector<ThreadLocalImage> thread_local_images(std::span<void* const> pointers);

}  // namespace weft::openmp
