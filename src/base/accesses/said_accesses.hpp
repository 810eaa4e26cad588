// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The accesses that the compiler says in one call (struct weft_uses), one after the other. A header
// alone, as strided.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/compiler_abi.h"

namespace weft {

// The arguments of __weft_prefetch.
struct SaidAccess {
  std::uintptr_t first = 0;
  std::uint64_t bytes = 0;
  std::span<const weft_stride> strides;
  std::uint32_t use = WEFT_USE_LOADS;
};

// Calls visit(place, access) for each; `place` is an address that no other access has.
template <typename Visit>
void for_each_access(const weft_uses& uses, const std::uint64_t* values, Visit visit) {
  const auto* code = reinterpret_cast<const std::uint8_t*>(uses.constants + uses.constant_count);
  const auto next = [&] {
    const std::uint8_t which = *code++;
    return which < WEFT_CONSTANT ? values[which] : uses.constants[which - WEFT_CONSTANT];
  };
  for (std::uint32_t left = uses.access_count; left > 0; --left) {
    const auto place = reinterpret_cast<std::uintptr_t>(code);
    SaidAccess access;
    std::array<weft_stride, WEFT_MOST_STRIDES> strides;
    access.use = *code++;
    const std::size_t count = *code++;
    access.first = next();
    access.bytes = next();
    for (weft_stride& each : std::span(strides).first(count)) {
      each.bytes = static_cast<std::int64_t>(next());
      each.count = next();
    }
    access.strides = std::span(strides).first(count);
    visit(place, access);
  }
}

}  // namespace weft
