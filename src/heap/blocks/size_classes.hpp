// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sizes in which small blocks are handed out: multiples of 16 up to 128 bytes, then four to
// each doubling, up to 16 KiB. So at most a fifth of a block is waste, and any power of two up to a
// page is itself a class, which makes aligned blocks ordinary ones. What is larger is given whole
// pages (see heap.hpp).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace weft::heap {

using SizeClass = std::uint8_t;

inline constexpr std::size_t kMinimumAlignment = 16;
inline constexpr std::size_t kLargestSmallBytes = 16384;
inline constexpr SizeClass kSizeClassCount = 8 + 4 * 7;

// Bytes of a block of this class.
[[nodiscard]] constexpr std::size_t class_bytes(SizeClass size_class) {
  if (size_class < 8) return 16 * (size_class + std::size_t{1});
  const unsigned doubling = (size_class - 8U) / 4, quarter = (size_class - 8U) % 4;
  return (std::size_t{32} << doubling) * (5 + quarter);
}

// The smallest class of at least so many bytes, up to kLargestSmallBytes.
[[nodiscard]] constexpr SizeClass class_of_bytes(std::size_t bytes) {
  if (bytes <= 128) return static_cast<SizeClass>(bytes == 0 ? 0 : (bytes - 1) / 16);
  // bytes - 1 has its highest bit at `log`; the next two bits tell the quarter.
  const unsigned log = static_cast<unsigned>(std::bit_width(bytes - 1)) - 1;
  const auto quarter = static_cast<unsigned>((bytes - 1) >> (log - 2)) & 3;
  return static_cast<SizeClass>(8 + 4 * (log - 7) + quarter);
}

// Pages of a span of this class: at least 32 KiB, and at least eight blocks.
[[nodiscard]] std::size_t class_span_pages(SizeClass size_class);

// The smallest class whose blocks hold `bytes` and lie at multiples of `alignment` (a power of two)
// in a span; nothing if whole pages are needed.
[[nodiscard]] std::optional<SizeClass> class_for(std::size_t bytes, std::size_t alignment);

}  // namespace weft::heap
