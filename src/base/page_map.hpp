// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known of some pages. Who goes through pages in order finds most of them without a search,
// as neighbours lie together; and a run of the program is repeated bit for bit, which a hash table
// would not promise.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "base/ids.hpp"

namespace weft {

template <typename T>
class PageMap {
 public:
  PageMap() = default;
  PageMap(const PageMap&) = delete;  // last_ is a pointer into it
  PageMap& operator=(const PageMap&) = delete;

  [[nodiscard]] std::size_t size() const { return size_; }
  // Null if nothing is known of the page. Valid until it is erased.
  [[nodiscard]] T* find(PageIndex page) {
    Leaf* const leaf = leaf_of(page);
    return leaf && leaf->has(page) ? &leaf->value(page) : nullptr;
  }
  [[nodiscard]] const T* find(PageIndex page) const {
    return const_cast<PageMap*>(this)->find(page);
  }
  [[nodiscard]] bool contains(PageIndex page) const { return find(page) != nullptr; }
  // Made by default if there is none yet.
  [[nodiscard]] T& operator[](PageIndex page) {
    Leaf* leaf = leaf_of(page);
    if (!leaf) leaf = last_ = &leaves_[last_index_ = index_of(page)];
    if (!leaf->has(page)) {
      leaf->present |= bit_of(page);
      ++size_;
    }
    return leaf->value(page);
  }
  void erase(PageIndex page) {
    Leaf* const leaf = leaf_of(page);
    if (!leaf || !leaf->has(page)) return;
    leaf->present &= static_cast<Bits>(~bit_of(page));
    --size_;
    if (leaf->present != 0) {
      leaf->value(page) = T();
      return;
    }
    last_ = nullptr;
    leaves_.erase(index_of(page));
  }

 private:
  using Bits = std::uint16_t;
  static constexpr std::uint64_t kLeafPages = 16;

  static std::uint64_t index_of(PageIndex page) { return page.value() / kLeafPages; }
  static Bits bit_of(PageIndex page) { return static_cast<Bits>(1U << page.value() % kLeafPages); }

  struct Leaf {
    Bits present = 0;
    std::array<T, kLeafPages> values{};

    [[nodiscard]] bool has(PageIndex page) const { return (present & bit_of(page)) != 0; }
    [[nodiscard]] T& value(PageIndex page) { return values[page.value() % kLeafPages]; }
  };

  [[nodiscard]] Leaf* leaf_of(PageIndex page) {
    if (last_ && last_index_ == index_of(page)) return last_;
    const auto place = leaves_.find(index_of(page));
    if (place == leaves_.end()) return nullptr;
    last_index_ = place->first;
    return last_ = &place->second;
  }

  std::map<std::uint64_t, Leaf> leaves_;
  std::size_t size_ = 0;
  // The leaf that was looked for last, if there is one.
  std::uint64_t last_index_ = 0;
  Leaf* last_ = nullptr;
};

}  // namespace weft
