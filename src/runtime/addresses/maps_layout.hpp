// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the range of addresses for what the program maps is divided; the same on every node.
//
//   table     records of mapped files (maps/map_table.hpp)   ┐ common
//   break     what brk and sbrk move within                  ┘
//   shares    one a node, as of the heap: each maps in its own without asking anybody
#pragma once

#include <algorithm>

#include "heap/pages/heap_layout.hpp"

namespace weft {

class MapsLayout {
 public:
  constexpr MapsLayout(std::uintptr_t begin, std::size_t bytes, unsigned node_count)
      : begin_(begin),
        common_bytes_(std::min(bytes, kTableBytes + bytes / 16 / kPageBytes * kPageBytes)),
        shares_(begin + common_bytes_, bytes - common_bytes_, node_count) {}

  [[nodiscard]] constexpr heap::AddressRange whole() const { return {begin_, shares_.whole().end}; }
  [[nodiscard]] constexpr heap::AddressRange common() const {
    return {begin_, begin_ + common_bytes_};
  }
  [[nodiscard]] constexpr heap::AddressRange table() const {
    return {begin_, begin_ + kTableBytes};
  }
  [[nodiscard]] constexpr heap::AddressRange break_range() const {
    return {begin_ + kTableBytes, begin_ + common_bytes_};
  }
  [[nodiscard]] constexpr heap::AddressRange share(NodeId node) const {
    return shares_.share(node);
  }
  // True for what the program can have got from mmap.
  [[nodiscard]] constexpr bool contains(std::uintptr_t address) const {
    return shares_.contains(address);
  }
  [[nodiscard]] constexpr NodeId owner(std::uintptr_t address) const {
    return shares_.owner(address);
  }

 private:
  static constexpr std::size_t kTableBytes = std::size_t{8} << 20;

  std::uintptr_t begin_;
  std::size_t common_bytes_;
  heap::HeapLayout shares_;
};

}  // namespace weft
