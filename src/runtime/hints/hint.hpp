// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a program says of memory that its threads share (weft/hints.h): as nodes tell it to each
// other, when a region begins.
#pragma once

#include <cstdint>

#include "base/codec.hpp"

namespace weft {

enum class HintKind : std::uint8_t {
  kBroadcast,
  kScatter,
  kGather,
  kAllToAll,
  kReadMostly,
  kHome,
  kPrivateAfterInit,
  kMigrate,
};

struct Hint {
  HintKind kind = HintKind::kBroadcast;
  std::uintptr_t first = 0;       // in the program's shared memory, so the same on all nodes
  std::uint64_t bytes = 0;        // none is empty
  std::int32_t distribution = 0;  // a weft_distribution
  std::uint64_t unit_bytes = 1;
  std::uintptr_t lock = 0;  // the variable that is one; 0: none
  WEFT_FIELDS(self.kind, self.first, self.bytes, self.distribution, self.unit_bytes, self.lock)
  bool operator==(const Hint&) const = default;

  [[nodiscard]] std::uintptr_t end() const { return first + bytes; }
  [[nodiscard]] bool overlaps(std::uintptr_t begin, std::uintptr_t behind) const {
    return first < behind && begin < end();
  }
};

}  // namespace weft
