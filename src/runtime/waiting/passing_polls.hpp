// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Polls by threads that pass by the driver, as they give up a lock. Called under the driver's lock.
#pragma once

#include <cstdint>
#include <utility>

namespace weft {

class PassingPolls {
 public:
  // A thread passes by: whether it polls. It does not if one did a moment ago.
  [[nodiscard]] bool is_due(std::int64_t now_ns) {
    if (now_ns - last_ns_ < kMomentNanoseconds) return false;
    last_ns_ = now_ns;
    ++count_;
    return true;
  }
  // By the service thread: whether there were any since it looked last.
  [[nodiscard]] bool any_since_last_look() { return std::exchange(seen_, count_) != count_; }

 private:
  // Much less than waking a thread takes.
  static constexpr std::int64_t kMomentNanoseconds = 2'000;

  std::uint64_t count_ = 0, seen_ = 0;
  std::int64_t last_ns_ = 0;
};

}  // namespace weft
