// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the heap's range of addresses is shared out: node k owns the k-th contiguous share, so the
// owner of a block follows from its address alone. Node 0, which runs the program's serial parts,
// gets half of everything; the others share the rest evenly. The same on every node.
//
// A share begins with its page records (see page_records.hpp); the rest is for blocks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/ids.hpp"

namespace weft::heap {

struct AddressRange {
  std::uintptr_t begin = 0, end = 0;
  [[nodiscard]] constexpr std::size_t bytes() const { return end - begin; }
  [[nodiscard]] constexpr std::uint64_t pages() const { return bytes() / kPageBytes; }
};

class HeapLayout {
 public:
  // `begin` is page-aligned; what does not make a whole page at the end is left unused.
  constexpr HeapLayout(std::uintptr_t begin, std::size_t bytes, unsigned node_count)
      : begin_(begin), node_count_(node_count) {
    const std::uint64_t pages = bytes / kPageBytes;
    const std::uint64_t others = node_count - 1;
    other_share_bytes_ = others == 0 ? 0 : pages / 2 / others * kPageBytes;
    first_share_bytes_ = pages * kPageBytes - others * other_share_bytes_;
  }

  [[nodiscard]] constexpr AddressRange whole() const {
    return {begin_, begin_ + first_share_bytes_ + (node_count_ - 1) * other_share_bytes_};
  }
  [[nodiscard]] constexpr AddressRange share(NodeId node) const {
    if (node.value() == 0) return {begin_, begin_ + first_share_bytes_};
    const std::uintptr_t first =
        begin_ + first_share_bytes_ + (node.value() - 1U) * other_share_bytes_;
    return {first, first + other_share_bytes_};
  }
  [[nodiscard]] constexpr bool contains(std::uintptr_t address) const {
    return address - begin_ < whole().bytes();
  }
  // Of an address within whole().
  [[nodiscard]] constexpr NodeId owner(std::uintptr_t address) const {
    const std::size_t offset = address - begin_;
    if (offset < first_share_bytes_) return NodeId(0);
    return NodeId(
        static_cast<std::uint16_t>(1 + (offset - first_share_bytes_) / other_share_bytes_));
  }
  [[nodiscard]] constexpr unsigned node_count() const { return node_count_; }

 private:
  std::uintptr_t begin_;
  unsigned node_count_;
  std::size_t first_share_bytes_ = 0, other_share_bytes_ = 0;
};

}  // namespace weft::heap
