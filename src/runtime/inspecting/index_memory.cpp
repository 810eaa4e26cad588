// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/inspecting/index_memory.hpp"

#include <algorithm>

namespace weft {

IndexMemory::IndexMemory(std::vector<Window> windows) {
  std::ranges::sort(windows, {}, &Window::first);
  windows_ = std::make_shared<const std::vector<Window>>(std::move(windows));
}

bool IndexMemory::find(std::uintptr_t address) {
  const auto next = std::ranges::upper_bound(*windows_, address, {}, &Window::first);
  if (next == windows_->begin() || address >= std::prev(next)->end) return false;
  last_ = *std::prev(next);
  return true;
}

}  // namespace weft
