// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory as the program names it in calls of weft/weft.h: blocks of one size at equal distances.
// Any numbers may come. A header alone, and of the C++ library nothing but headers: libweft.so
// includes it.
//
//   first                 first + stride
//   ├─ bytes ─┤           ├─ bytes ─┤           ...   count blocks, which do not overlap
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/addresses.hpp"

namespace weft {

struct Blocks {
  std::uintptr_t first = 0;
  std::uintptr_t bytes = 0, stride = 0, count = 0;  // none is empty; `stride` means nothing for one

  // Nothing if they overlap, or end beyond the last address. Without bytes there are no blocks.
  static constexpr std::optional<Blocks> of(std::uintptr_t first, std::size_t bytes,
                                            std::size_t stride, std::size_t count) {
    if (bytes == 0 || count == 0) return Blocks{};
    if (count > 1 && stride < bytes) return std::nullopt;
    std::uintptr_t way = 0, end = 0;
    if (__builtin_mul_overflow(count - 1, stride, &way) ||
        __builtin_add_overflow(way, bytes, &end) || __builtin_add_overflow(end, first, &end)) {
      return std::nullopt;
    }
    if (count > 1 && stride > bytes) return Blocks{first, bytes, stride, count};
    return Blocks{first, way + bytes, 0, 1};  // they touch
  }

  [[nodiscard]] constexpr bool empty() const { return count == 0; }
  // Behind the last one.
  [[nodiscard]] constexpr std::uintptr_t end() const {
    return first + stride * (count - 1) + bytes;
  }

  // f(first, end), ascending: the pages with any of these bytes, in runs that are apart by a page
  // at least. In addresses of pages' beginnings.
  template <typename F>
  constexpr void for_each_run_of_pages(F&& f) const {
    if (empty()) return;
    if (count == 1 || stride - bytes < kPageBytes) return f(page_at(first), page_behind(end()));
    std::uintptr_t run = page_at(first), run_end = page_behind(first + bytes);
    for (std::uintptr_t index = 1; index < count; ++index) {
      const std::uintptr_t at = first + stride * index;
      if (page_at(at) > run_end) {
        f(run, run_end);
        run = page_at(at);
      }
      run_end = page_behind(at + bytes);
    }
    f(run, run_end);
  }

  // The same of the pages that lie wholly in one block.
  template <typename F>
  constexpr void for_each_run_of_whole_pages(F&& f) const {
    if (bytes < kPageBytes) return;
    for (std::uintptr_t index = 0; index < count; ++index) {
      const std::uintptr_t at = first + stride * index;
      const std::uintptr_t begin = page_behind(at), end = page_at(at + bytes);
      if (begin < end) f(begin, end);
    }
  }

 private:
  static constexpr std::uintptr_t page_at(std::uintptr_t address) {
    return address / kPageBytes * kPageBytes;
  }
  // Of the last page it would be 0, which nobody has.
  static constexpr std::uintptr_t page_behind(std::uintptr_t address) {
    return page_at(address + kPageBytes - 1);
  }
};

}  // namespace weft
