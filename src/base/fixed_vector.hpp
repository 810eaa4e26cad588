// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A vector in place, of at most so many items. An array of them would be set to zeros first, which
// is felt where a few are made for each of millions of short calls.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "base/assert.hpp"

namespace weft {

template <typename Item, std::size_t most>
  requires std::is_trivially_destructible_v<Item>
class FixedVector {
 public:
  FixedVector() = default;
  FixedVector(const FixedVector&) = delete;
  FixedVector& operator=(const FixedVector&) = delete;

  Item& push_back(Item item) {
    WEFT_ASSERT(count_ < most, "more than {} items", most);
    return *std::construct_at(items() + count_++, std::move(item));
  }
  [[nodiscard]] std::span<const Item> view() const { return {items(), count_}; }

 private:
  [[nodiscard]] Item* items() { return reinterpret_cast<Item*>(memory_); }
  [[nodiscard]] const Item* items() const { return reinterpret_cast<const Item*>(memory_); }

  alignas(Item) std::byte memory_[most * sizeof(Item)];
  std::size_t count_ = 0;
};

}  // namespace weft
