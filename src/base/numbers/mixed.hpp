// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace weft {

// A number whose upper bits depend on all bits of `value`: multiplicative hashing (Knuth, The Art
// of Computer Programming, 6.4). Take places in tables from those.
constexpr std::uint64_t mixed(std::uint64_t value) { return value * 0x9e3779b97f4a7c15U; }

}  // namespace weft
