// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that a loop goes through, as the compiler says it (struct weft_stride). Any numbers may
// come. A header alone, and of the C++ library nothing but headers: libweft.so includes it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/compiler_abi.h"

namespace weft {

struct Strided {
  struct Dimension {
    std::uint64_t stride = 0;
    std::uint64_t count = 0;
  };

  // No access spans more: addresses have 47 bits.
  static constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 46;

  std::uintptr_t first = 0;  // the lowest address
  std::uint64_t bytes = 0;
  // Ascending by their strides, which are positive, and more than one address each.
  std::array<Dimension, WEFT_MOST_STRIDES> loops;
  std::size_t loop_count = 0;

  // Nothing if it is empty or absurd.
  static std::optional<Strided> of(std::uintptr_t first, std::uint64_t bytes,
                                   std::span<const weft_stride> strides) {
    if (bytes == 0 || bytes > kMostBytes || strides.size() > WEFT_MOST_STRIDES) return std::nullopt;
    Strided made{.first = first, .bytes = bytes, .loops = {}};
    std::uint64_t sum = bytes;
    for (const weft_stride& each : strides) {
      if (each.count == 0) return std::nullopt;
      if (each.count == 1 || each.bytes == 0) continue;
      const std::uint64_t step = each.bytes < 0 ? -static_cast<std::uint64_t>(each.bytes)
                                                : static_cast<std::uint64_t>(each.bytes);
      std::uint64_t way = 0;
      if (__builtin_mul_overflow(step, each.count - 1, &way) || way > kMostBytes - sum)
        return std::nullopt;
      sum += way;
      if (each.bytes < 0) made.first -= way;
      made.loops[made.loop_count++] = {step, each.count};
    }
    if (made.first + sum < made.first) return std::nullopt;
    std::ranges::sort(std::span(made.loops).first(made.loop_count), {}, &Dimension::stride);
    return made;
  }

  [[nodiscard]] std::span<const Dimension> dimensions() const {
    return std::span(loops).first(loop_count);
  }

  // Of the whole, with its gaps.
  [[nodiscard]] std::uint64_t extent() const { return reach(bytes, dimensions()); }

  // Whether all of [at, at + size) is one part of it.
  [[nodiscard]] bool covers(std::uintptr_t at, std::uint64_t size) const {
    return at >= first && covers(at - first, size, dimensions());
  }

 private:
  static std::uint64_t reach(std::uint64_t bytes, std::span<const Dimension> dimensions) {
    for (const auto& [stride, count] : dimensions) bytes += stride * (count - 1);
    return bytes;
  }

  [[nodiscard]] bool covers(std::uint64_t way, std::uint64_t size,
                            std::span<const Dimension> inner) const {
    if (inner.empty()) return way < bytes && size <= bytes - way;
    const auto& [stride, count] = inner.back();
    inner = inner.first(inner.size() - 1);
    const std::uint64_t most = reach(bytes, inner) - 1;
    const std::uint64_t last = std::min(way / stride, count - 1);
    for (std::uint64_t at = way <= most ? 0 : (way - most + stride - 1) / stride; at <= last;
         ++at) {
      if (covers(way - at * stride, size, inner)) return true;
    }
    return false;
  }
};

}  // namespace weft
