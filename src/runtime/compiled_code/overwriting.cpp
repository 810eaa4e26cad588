// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the compiler pass calls before a loop or a copy that overwrites memory whole, when the job
// spans nodes (base/compiler_abi.h).
#include <algorithm>

#include "base/compiler_abi.h"
#include "base/page_range.hpp"
#include "runtime/compiled_code/shared_pages.hpp"
#include "runtime/interface/call_sites.hpp"
#include "runtime/interface/node.hpp"
#include "stacks/stacks.hpp"

namespace weft {
namespace {

// What lies before the first whole page, and behind the last, stays as it is.
void overwrite(std::uintptr_t first, std::uintptr_t end, SiteCounters* counters) {
  const std::uintptr_t first_page = (first + kPageBytes - 1) / kPageBytes * kPageBytes;
  const std::uintptr_t end_page = end / kPageBytes * kPageBytes;
  Node* const node = this_node();
  const bool has_pages = node != nullptr && end >= first && first_page < end_page;
  const PageRange pages = has_pages ? shared_pages(*node, first_page, end_page) : PageRange{};
  if (pages.count == 0) return count_at(counters, SiteCount::kTooSmall);
  on_runtime_stack([&] {
    const std::uint64_t overwritten = node->overwrite(pages);
    if (overwritten > 0) {
      count_at(counters, SiteCount::kPagesOverwritten, overwritten);
    } else {
      count_at(counters, SiteCount::kAllHere);
    }
  });
}

}  // namespace
}  // namespace weft

extern "C" [[gnu::visibility("default")]] void __weft_overwrite(void* first, __SIZE_TYPE__ bytes) {
  using namespace weft;
  SiteCounters* const counters =
      count_call(reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)));
  // A handler may have interrupted anything, the runtime for one.
  if (is_in_signal_handler()) return count_at(counters, SiteCount::kNotHeard);
  const auto from = reinterpret_cast<std::uintptr_t>(first);
  overwrite(from, from + bytes, counters);
}
