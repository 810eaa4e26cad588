// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "base/page_range.hpp"
#include "runtime/interface/node.hpp"

namespace weft {

// The pages of [first, end), which is not empty; none unless it is one piece of the program's
// shared memory. An object lies in one piece if both of its ends are shared.
inline PageRange shared_pages(const Node& node, std::uintptr_t first, std::uintptr_t end) {
  const auto begin = node.offset_of(reinterpret_cast<void*>(first));
  const auto last = node.offset_of(reinterpret_cast<void*>(end - 1));
  if (!begin || !last || last->bytes() - begin->bytes() != end - 1 - first) return {};
  return {begin->page(), last->page().value() - begin->page().value() + 1};
}

}  // namespace weft
