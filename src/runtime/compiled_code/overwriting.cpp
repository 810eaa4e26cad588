// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the compiler pass calls before a loop or a copy that overwrites memory whole, when the job
// spans nodes (base/compiler_abi.h).
#include <algorithm>

#include "base/compiler_abi.h"
#include "base/page_range.hpp"
#include "runtime/compiled_code/shared_pages.hpp"
#include "runtime/interface/node.hpp"
#include "stacks/stacks.hpp"

namespace weft {
namespace {

// What lies before the first whole page, and behind the last, stays as it is.
void overwrite(std::uintptr_t first, std::uintptr_t end) {
  const std::uintptr_t first_page = (first + kPageBytes - 1) / kPageBytes * kPageBytes;
  const std::uintptr_t end_page = end / kPageBytes * kPageBytes;
  Node* const node = this_node();
  if (node == nullptr || end < first || first_page >= end_page) return;
  const PageRange pages = shared_pages(*node, first_page, end_page);
  if (pages.count == 0) return;
  on_runtime_stack([&] { node->overwrite(pages); });
}

}  // namespace
}  // namespace weft

extern "C" [[gnu::visibility("default")]] void __weft_overwrite(void* first, __SIZE_TYPE__ bytes) {
  // A handler may have interrupted anything, the runtime for one.
  if (weft::is_in_signal_handler()) return;
  const auto from = reinterpret_cast<std::uintptr_t>(first);
  weft::overwrite(from, from + bytes);
}
