// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pages of a strided access, as the compiler describes it (struct weft_stride). Rows that lie
// closer than a page are one run, so a matrix with padded rows is one run as well, and a block of
// it is one run for each row.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/compiler_abi.h"

namespace weft {

// Addresses [first, end).
struct AddressRange {
  std::uintptr_t first = 0, end = 0;
  bool operator==(const AddressRange&) const = default;
};

// Ascending and apart by a page at least, `most_runs` of them and so the first part of the access
// if they are more. None if the numbers make no sense.
[[nodiscard]] std::vector<AddressRange> footprint(std::uintptr_t first, std::uint64_t bytes,
                                                  std::span<const weft_stride> strides,
                                                  std::size_t most_runs);

// Whether the access uses most of so many pages.
[[nodiscard]] bool fills(std::uint64_t pages, std::uint64_t bytes,
                         std::span<const weft_stride> strides);

}  // namespace weft
