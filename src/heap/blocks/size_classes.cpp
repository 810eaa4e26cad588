// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heap/blocks/size_classes.hpp"

#include <algorithm>

#include "base/ids.hpp"

namespace weft::heap {
namespace {

constexpr std::size_t kSpanBytes = 32768;
constexpr std::size_t kFewestBlocks = 8;

static_assert(class_bytes(7) == 128 && class_bytes(8) == 160 && class_bytes(11) == 256);
static_assert(class_bytes(kSizeClassCount - 1) == kLargestSmallBytes);

}  // namespace

std::size_t class_span_pages(SizeClass size_class) {
  const std::size_t bytes = std::max(kSpanBytes, kFewestBlocks * class_bytes(size_class));
  return (bytes + kPageBytes - 1) / kPageBytes;
}

std::optional<SizeClass> class_for(std::size_t bytes, std::size_t alignment) {
  if (alignment > kPageBytes || bytes > kLargestSmallBytes) return std::nullopt;
  if (alignment <= kMinimumAlignment) return class_of_bytes(bytes);  // all classes are
  const std::size_t needed = std::max(bytes, alignment);
  for (SizeClass size_class = class_of_bytes(needed); size_class < kSizeClassCount; ++size_class) {
    if (class_bytes(size_class) % alignment == 0) return size_class;
  }
  return std::nullopt;
}

}  // namespace weft::heap
