// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// At how many of its points (runtime/interface/move_points.hpp) a thread looks whether its node has
// more work than processors. Looks in vain become rarer.
#pragma once

#include <algorithm>
#include <cstdint>

namespace weft::pthread {

class Looks {
 public:
  static constexpr std::uint32_t kShortest = 8, kLongest = 256;

  // At each point. The first one is for a look.
  [[nodiscard]] bool is_due() {
    if (left_ > 0) return --left_ == 0;
    return true;
  }
  // The node has processors enough.
  void had_no_reason() { left_ = pause_ = kShortest; }
  // It has not, and nobody has a processor to spare, or the thread cannot leave.
  void was_in_vain() {
    left_ = pause_;
    pause_ = std::min(2 * pause_, kLongest);
  }

 private:
  std::uint32_t left_ = 0, pause_ = kShortest;
};

}  // namespace weft::pthread
