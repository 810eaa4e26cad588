// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// brk and sbrk of the program: one break for the job, in a range of the shared region of its own.
// The C library's heap keeps the kernel's break, on each node.
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "libc/interposition/hooks.hpp"
#include "libc/interposition/interpose.hpp"
#include "maps/contents.hpp"
#include "maps/mapping.hpp"
#include "runtime/job/job.hpp"
#include "stacks/stacks.hpp"

namespace weft::maps {
namespace {

// Memory above the highest break so far was never handed out, so it is zero; below, the program's
// own last use may be there.
bool set_break(Node& node, MapTable::Break& current, std::uintptr_t wanted) {
  const AddressRange range = maps_layout().break_range();
  if (wanted < range.begin || wanted > range.end) {
    errno = ENOMEM;
    return false;
  }
  const std::uintptr_t used_end = std::min(wanted, current.highest);
  if (used_end > current.now) {
    auto* const begin = reinterpret_cast<std::byte*>(current.now);
    std::fill(begin, begin + (used_end - current.now), std::byte{0});
  }
  current = {wanted, std::max(wanted, current.highest)};
  return true;
}

template <typename F>
auto with_break(Node& node, F f) {
  return on_runtime_stack([&] {
    return with_table(node, [&](MapTable& table) {
      MapTable::Break& current = table.program_break();
      const std::uintptr_t begin = maps_layout().break_range().begin;
      if (current.now == 0) current = {begin, begin};
      return f(current);
    });
  });
}

}  // namespace
}  // namespace weft::maps

using namespace weft;
using namespace weft::maps;

WEFT_EXPORT void* __wrap_sbrk(std::intptr_t change) {
  Node* const node = this_node();
  if (node == nullptr) return WEFT_REAL(sbrk)(change);
  return with_break(*node, [&](MapTable::Break& current) {
    const std::uintptr_t before = current.now;
    const bool done =
        change == 0 || set_break(*node, current, before + static_cast<std::uintptr_t>(change));
    return reinterpret_cast<void*>(done ? before : ~std::uintptr_t{0});
  });
}

WEFT_EXPORT int __wrap_brk(void* address) {
  Node* const node = this_node();
  if (node == nullptr) return WEFT_REAL(brk)(address);
  return with_break(*node, [&](MapTable::Break& current) {
    return set_break(*node, current, reinterpret_cast<std::uintptr_t>(address)) ? 0 : -1;
  });
}
