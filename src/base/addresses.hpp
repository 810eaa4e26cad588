// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Three ways to name a byte of the shared region, kept apart by type:
//   GlobalOffset    its distance from the region's start; the same on every node, sent in messages
//   ProgramAddress  where the program sees it; the same on every node; may fault when touched
//   RuntimeAddress  where this node's runtime sees it; never faults; different on every node
// Only a RuntimeAddress may be turned into a pointer by Weft's own code.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

#include "base/ids.hpp"

namespace weft {

class GlobalOffset {
 public:
  constexpr GlobalOffset() = default;
  constexpr explicit GlobalOffset(std::uint64_t bytes) : bytes_(bytes) {}
  [[nodiscard]] static constexpr GlobalOffset of_page(PageIndex page) {
    return GlobalOffset(page.value() * kPageBytes);
  }
  [[nodiscard]] constexpr std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] constexpr PageIndex page() const { return PageIndex(bytes_ / kPageBytes); }
  [[nodiscard]] constexpr std::size_t within_page() const { return bytes_ % kPageBytes; }
  constexpr auto operator<=>(const GlobalOffset&) const = default;

 private:
  std::uint64_t bytes_ = 0;
};

class ProgramAddress {
 public:
  constexpr ProgramAddress() = default;
  constexpr explicit ProgramAddress(std::uintptr_t value) : value_(value) {}
  [[nodiscard]] static ProgramAddress of(const void* pointer) {
    return ProgramAddress(reinterpret_cast<std::uintptr_t>(pointer));
  }
  [[nodiscard]] constexpr std::uintptr_t value() const { return value_; }
  constexpr auto operator<=>(const ProgramAddress&) const = default;

 private:
  std::uintptr_t value_ = 0;
};

class RuntimeAddress {
 public:
  constexpr RuntimeAddress() = default;
  explicit RuntimeAddress(std::byte* pointer) : pointer_(pointer) {}
  [[nodiscard]] std::byte* pointer() const { return pointer_; }
  [[nodiscard]] RuntimeAddress plus(std::size_t bytes) const {
    return RuntimeAddress(pointer_ + bytes);
  }

 private:
  std::byte* pointer_ = nullptr;
};

}  // namespace weft
