// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where two pages differ, as one bit for each byte. The widest instructions that the processor has
// do it; the plain twin is there for every other processor and as the others' test.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/ids.hpp"

namespace weft {

inline constexpr std::size_t kMaskBytes = 64;  // bytes of the page for each mask
inline constexpr std::size_t kMasksPerPage = kPageBytes / kMaskBytes;
// Bit b of mask m: bytes m * 64 + b differ.
using DifferenceMasks = std::array<std::uint64_t, kMasksPerPage>;

using FindDifferences = void (*)(const std::byte* left, const std::byte* right,
                                 DifferenceMasks& masks);

void find_differences_plain(const std::byte* left, const std::byte* right, DifferenceMasks& masks);
// The fastest for this processor.
[[nodiscard]] FindDifferences find_differences();

struct NamedFindDifferences {
  const char* name;
  FindDifferences function;
};
// All that this processor can run, the plain one first; null names end the list.
[[nodiscard]] std::array<NamedFindDifferences, 3> available_find_differences();

}  // namespace weft
