// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A piece of private memory of any size, kept within the object as long as it is small. The object
// itself must be on the runtime stack.
#pragma once

#include <cstddef>

#include "base/assert.hpp"
#include "libc/interposition/real_allocation.hpp"

namespace weft::libc {

class PrivateBlock {
 public:
  PrivateBlock() = default;
  ~PrivateBlock() { real_free(large_); }
  PrivateBlock(const PrivateBlock&) = delete;
  PrivateBlock& operator=(const PrivateBlock&) = delete;

  // To be called once. Aligned for any type; contents undefined.
  [[nodiscard]] void* resize(std::size_t bytes) {
    if (bytes <= sizeof small_) return small_;
    large_ = real_malloc(bytes);
    WEFT_ASSERT(large_ != nullptr, "out of memory: {} bytes for a system call", bytes);
    return large_;
  }

 private:
  alignas(16) std::byte small_[192];
  void* large_ = nullptr;
};

}  // namespace weft::libc
