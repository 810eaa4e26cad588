// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of weft/weft.h and weft/hints.h that is the same on one node and on several: which
// arguments are refused, and what is said of that. A header alone: libweft.so includes it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/accesses/blocks.hpp"
#include "include/weft/hints.h"
#include "include/weft/remote.h"
#include "include/weft/weft.h"

namespace weft {

[[nodiscard]] constexpr bool is_access(weft_access access) {
  constexpr int kAll = WEFT_READ | WEFT_WRITE | WEFT_OVERWRITE;
  const bool overwrites = (access & WEFT_OVERWRITE) != 0;
  return access != 0 && (access & ~kAll) == 0 && !(overwrites && (access & WEFT_READ) != 0);
}

// What a call is to work on, or why it is refused, whatever memory is shared.
struct SharedCall {
  Blocks blocks;
  int error = WEFT_OK;

  static SharedCall of(const void* address, std::size_t bytes, std::size_t stride,
                       std::size_t count, weft_access access = WEFT_READ) {
    if (!is_access(access)) return {{}, WEFT_ERROR_ACCESS};
    const auto blocks = Blocks::of(reinterpret_cast<std::uintptr_t>(address), bytes, stride, count);
    if (!blocks) return {{}, WEFT_ERROR_SIZE};
    if (!blocks->empty() && address == nullptr) return {{}, WEFT_ERROR_RANGE};
    return {*blocks, WEFT_OK};
  }
};

// A hint that divides its memory.
[[nodiscard]] constexpr bool is_division(std::size_t unit_bytes, weft_distribution distribution,
                                         int nodes) {
  return unit_bytes != 0 && distribution >= WEFT_CYCLIC && distribution < nodes;
}

[[nodiscard]] constexpr const char* shared_call_error(int error) {
  switch (error) {
    case WEFT_ERROR_RANGE:
      return "the memory is not shared or registered as one piece, or ends beyond what the key "
             "grants";
    case WEFT_ERROR_ACCESS:
      return "the access is none of WEFT_READ, WEFT_WRITE and WEFT_OVERWRITE, or WEFT_OVERWRITE "
             "with WEFT_READ";
    case WEFT_ERROR_SIZE:
      return "the memory ends beyond the last address, or its blocks overlap";
    case WEFT_ERROR_UNKNOWN:
      return "this node does not know the home of the page";
    case WEFT_ERROR_THREAD:
      return "the calling thread cannot go on at another node, or not now";
    case WEFT_ERROR_DISTRIBUTION:
      return "the distribution is none of WEFT_BLOCK, WEFT_CYCLIC and the number of a node, or its "
             "units have no bytes";
    case WEFT_ERROR_NAME:
      return "no critical region of the program has this name";
    case WEFT_ERROR_KEY:
      return "there is no such key: it was never given, or is revoked";
    case WEFT_ERROR_RIGHT:
      return "the key does not grant this";
    case WEFT_ERROR_NODE:
      return "there is no such node";
    case WEFT_ERROR_OPERATION:
      return "there is no such atomic operation on this type, or the memory is not aligned";
    case WEFT_ERROR_FULL:
      return "the FIFO is full";
    case WEFT_ERROR_EMPTY:
      return "the FIFO is empty";
    case WEFT_ERROR_MEMORY:
      return "there is no memory, or the node has given out all its keys";
    case WEFT_ERROR_HANDLER:
      return "this cannot be done in a handler of a UNIX signal";
    case WEFT_PENDING:
      return "the operation is under way";
    default:
      return error >= 0 ? "no error" : "no error of Weft";
  }
}

}  // namespace weft
