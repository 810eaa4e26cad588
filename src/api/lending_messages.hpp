// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One node asks another for pages of its share of the heap (allocation.cpp).
#pragma once

#include <cstdint>

#include "base/codec.hpp"

namespace weft::api {

struct LendRequest {
  std::uint64_t bytes = 0;
  WEFT_FIELDS(self.bytes)
};

struct LendAnswer {
  std::uint64_t address = 0;  // 0: there is no room
  WEFT_FIELDS(self.address)
};

}  // namespace weft::api
