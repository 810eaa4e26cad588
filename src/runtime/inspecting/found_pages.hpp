// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pages of memory that is named bit by bit, in any order and again and again.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "base/addresses.hpp"
#include "runtime/compiled_code/footprint.hpp"

namespace weft {

// Ascending, and apart by more than `gap` bytes, of which none is left out. Those that end beyond
// all addresses are.
[[nodiscard]] std::vector<AddressRange> joined(std::vector<AddressRange> ranges, std::uint64_t gap);

// The same in whole pages.
[[nodiscard]] std::vector<AddressRange> pages_of(std::vector<AddressRange> ranges);

class FoundPages {
 public:
  // Of more than `most` pages some are left out. `is_wanted(first, end)`: whether memory is worth
  // noting, asked once for most pages.
  FoundPages(std::uint64_t most, std::function<bool(std::uintptr_t, std::uintptr_t)> is_wanted)
      : most_(most), is_wanted_(std::move(is_wanted)) {}

  // [first, end), which is not empty. False if there is no room for more.
  bool add(std::uintptr_t first, std::uintptr_t end) {
    const std::uintptr_t page = first / kPageBytes;
    std::uintptr_t& seen = seen_[page % seen_.size()];
    const bool is_one_page = page == (end - 1) / kPageBytes;
    if (seen == page && is_one_page) return true;
    if (is_one_page) seen = page;
    return note(page * kPageBytes, end);
  }

  [[nodiscard]] std::vector<AddressRange> take() && { return pages_of(std::move(ranges_)); }

 private:
  bool note(std::uintptr_t first, std::uintptr_t end);

  std::uint64_t most_;
  std::function<bool(std::uintptr_t, std::uintptr_t)> is_wanted_;
  // Page numbers that were added lately. Page 0 is nobody's.
  std::vector<std::uintptr_t> seen_ = std::vector<std::uintptr_t>(4096);
  std::vector<AddressRange> ranges_;
  std::size_t tidy_at_ = 1 << 16;  // so many ranges are made fewer
};

}  // namespace weft
