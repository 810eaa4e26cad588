// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heap/size_classes.hpp"

#include <algorithm>
#include <bit>

#include "base/ids.hpp"

namespace weft::heap {
namespace {

constexpr std::size_t kSpanBytes = 32768;
constexpr std::size_t kFewestBlocks = 8;

static_assert(class_bytes(7) == 128 && class_bytes(8) == 160 && class_bytes(11) == 256);
static_assert(class_bytes(kSizeClassCount - 1) == kLargestSmallBytes);

SizeClass smallest_class_of(std::size_t bytes) {
  if (bytes <= 128) return static_cast<SizeClass>(bytes == 0 ? 0 : (bytes - 1) / 16);
  // bytes - 1 has its highest bit at `log`; the next two bits tell the quarter.
  const unsigned log = static_cast<unsigned>(std::bit_width(bytes - 1)) - 1;
  const auto quarter = static_cast<unsigned>((bytes - 1) >> (log - 2)) & 3;
  return static_cast<SizeClass>(8 + 4 * (log - 7) + quarter);
}

}  // namespace

std::size_t class_span_pages(SizeClass size_class) {
  const std::size_t bytes = std::max(kSpanBytes, kFewestBlocks * class_bytes(size_class));
  return (bytes + kPageBytes - 1) / kPageBytes;
}

std::optional<SizeClass> class_for(std::size_t bytes, std::size_t alignment) {
  if (alignment > kPageBytes || bytes > kLargestSmallBytes) return std::nullopt;
  const std::size_t needed = std::max(bytes, alignment);
  for (SizeClass size_class = smallest_class_of(needed); size_class < kSizeClassCount;
       ++size_class) {
    if (class_bytes(size_class) % alignment == 0) return size_class;
  }
  return std::nullopt;
}

}  // namespace weft::heap
