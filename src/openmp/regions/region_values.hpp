// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables that a region only reads, as the pass has found
// (compiler/pass/calls/region_values.hpp). Their values go with the region's message, so that no
// page does for their sake.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/codec.hpp"
#include "openmp/libomp/kmp_abi.hpp"

namespace weft::openmp {

struct RegionValue {
  std::uint32_t argument = 0;  // the region's that has the variable's address
  Bytes contents;
  WEFT_FIELDS(self.argument, self.contents)
};

// By the thread that begins the region, at this position of the program.
[[nodiscard]] std::vector<RegionValue> region_values(const Ident* loc,
                                                     std::span<void* const> arguments);

// On another node: arguments lead to the values from now on, as long as these are there.
void adopt_region_values(std::span<RegionValue> values, std::span<void*> arguments);

}  // namespace weft::openmp
