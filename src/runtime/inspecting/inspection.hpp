// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the pages that a loop will use by subscripts that it loads: runs over the subscripts before
// the loop does (__weft_prefetch_indirect).
//
// The values are read level by level, so that all memory of a level can be brought at once. They
// may mean anything: what is found is clipped to shared memory, and nothing is read but what is at
// hand.
//
// Source: the inspector of Das, Uysal, Saltz and Hwang, "Communication optimizations for irregular
// scientific computations on distributed memory architectures".
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/compiler_abi.h"
#include "runtime/compiled_code/footprint.hpp"
#include "runtime/inspecting/index_memory.hpp"

namespace weft {

// The arguments of __weft_prefetch_indirect.
struct SaidIndirect {
  std::uintptr_t first = 0;
  std::uint64_t bytes = 0;
  std::span<const weft_stride> strides;
  std::span<const weft_indirection> indirections;
  std::uint32_t use = WEFT_USE_LOADS;
};

class InspectorSurroundings {
 public:
  virtual ~InspectorSurroundings() = default;
  // As much as possible of these pages, after a while. Ascending and apart.
  [[nodiscard]] virtual IndexMemory bring(std::span<const AddressRange> pages) = 0;
  // Whether all of [first, end) is shared, as one piece.
  [[nodiscard]] virtual bool is_shared(std::uintptr_t first, std::uintptr_t end) const = 0;
};

struct Inspected {
  std::vector<AddressRange> pages;    // that the loop will use; ascending and apart
  std::vector<AddressRange> indices;  // with all values that were read; apart by a page at least
  std::uint64_t values = 0;           // how many were read
};

// Nothing if the numbers make no sense. Of more than `most_pages` some are left out, as of more
// values than take some ten milliseconds.
[[nodiscard]] Inspected inspect(const SaidIndirect& said, std::uint64_t most_pages,
                                InspectorSurroundings& surroundings);

}  // namespace weft
