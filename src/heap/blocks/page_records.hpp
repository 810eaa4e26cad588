// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What any node may know of a block that another node owns: its size. It stands in shared memory,
// in a table at the beginning of the owner's share, eight bytes for each page of the share.
//
// The owner writes a page's record before it hands out the first block there, and whoever has got
// the pointer without a race therefore reads the record without a race. Only the owner writes.
// Rejected: a header before each block. It would make blocks larger, shift arrays off their page
// boundaries, and be the first thing that a wild write destroys.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/ids.hpp"
#include "heap/blocks/size_classes.hpp"
#include "heap/pages/heap_layout.hpp"

namespace weft::heap {

class PageRecord {
 public:
  PageRecord() = default;
  // A page of a span of small blocks, `page_in_span` pages from its beginning.
  static constexpr PageRecord small(SizeClass size_class, std::uint64_t page_in_span) {
    return PageRecord(kMagic << 48 | std::uint64_t{size_class} << 40 | page_in_span);
  }
  // The first page of a block of whole pages.
  static constexpr PageRecord large(std::uint64_t page_count) {
    return PageRecord(kMagic << 48 | std::uint64_t{kLarge} << 40 | page_count);
  }
  // Bytes of the block that begins `byte_in_page` bytes into this page; 0 if none does.
  [[nodiscard]] constexpr std::size_t block_bytes(std::size_t byte_in_page) const {
    if (value_ >> 48 != kMagic) return 0;
    const auto kind = static_cast<std::uint8_t>(value_ >> 40);
    const std::uint64_t detail = value_ & ((std::uint64_t{1} << 40) - 1);
    if (kind == kLarge) return byte_in_page == 0 ? detail * kPageBytes : 0;
    const std::size_t bytes = class_bytes(kind);
    return (detail * kPageBytes + byte_in_page) % bytes == 0 ? bytes : 0;
  }

 private:
  constexpr explicit PageRecord(std::uint64_t value) : value_(value) {}
  static constexpr std::uint64_t kMagic = 0x5eed;
  static constexpr std::uint8_t kLarge = 0xff;
  std::uint64_t value_ = 0;
};
static_assert(sizeof(PageRecord) == 8);

// Pages that the table of a share takes.
[[nodiscard]] constexpr std::uint64_t record_pages(const AddressRange& share) {
  return (share.pages() * sizeof(PageRecord) + kPageBytes - 1) / kPageBytes;
}

// The record of an address, in shared memory: touching it may fault, so hold no lock.
[[nodiscard]] inline PageRecord* record_of(const AddressRange& share, std::uintptr_t address) {
  return reinterpret_cast<PageRecord*>(share.begin) + (address - share.begin) / kPageBytes;
}

}  // namespace weft::heap
