// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of the program's that can be read now, by the addresses that the program uses: what an
// inspection reads values from (base/accesses/indirect.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace weft {

class IndexMemory {
 public:
  struct Window {
    std::uintptr_t first = 0, end = 0;
    const std::byte* contents = nullptr;
  };

  // Disjoint, in any order.
  explicit IndexMemory(std::vector<Window> windows);

  // The bytes from `address` to the end of its window; none if there is no window.
  [[nodiscard]] std::span<const std::byte> at(std::uintptr_t address) {
    if (address - last_.first >= last_.end - last_.first && !find(address)) return {};
    return {last_.contents + (address - last_.first), last_.end - address};
  }

 private:
  bool find(std::uintptr_t address);

  std::shared_ptr<const std::vector<Window>> windows_;  // ascending
  Window last_;
};

}  // namespace weft
