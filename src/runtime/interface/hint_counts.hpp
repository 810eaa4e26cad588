// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What has become of the program's hints on this node (runtime/hints), for its statistics.
#pragma once

#include <atomic>
#include <cstdint>

namespace weft {

struct HintAccount {
  std::uint64_t performed = 0;
  std::uint64_t pages_brought = 0;  // on which threads would have faulted
  std::uint64_t pages_claimed = 0;  // to be at home here
};

struct HintCounts {
  std::atomic<std::uint64_t> performed{0}, pages_brought{0}, pages_claimed{0};

  [[nodiscard]] HintAccount account() const { return {performed, pages_brought, pages_claimed}; }
};
inline HintCounts hint_counts;

}  // namespace weft
