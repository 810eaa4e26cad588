// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The executable's thread-local data (threadprivate variables, as clang makes them). It lies in
// each thread's private memory, so its addresses say nothing on another node.
#pragma once

#include <span>

#include "base/bytes.hpp"

namespace weft::openmp {

// The calling thread's block; empty if the executable has none.
[[nodiscard]] std::span<std::byte> thread_local_block();

[[nodiscard]] inline bool contains(std::span<std::byte> block, const void* pointer) {
  const auto* byte = static_cast<const std::byte*>(pointer);
  return byte >= block.data() && byte < block.data() + block.size();
}

}  // namespace weft::openmp
