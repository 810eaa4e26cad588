// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which of a node's threads have work, told by the waits that its board counts: a thread's number
// is odd while it waits (runtime/board). A thread has work if it runs, or has run
// between any two of the last looks. So a thread that waits at a barrier for the others counts, and
// one that waits for long does not.
//
// Rejected: only those that run at this very moment. Of threads that meet at a barrier, the last
// one would find all other nodes idle in each round.
#pragma once

#include <cstdint>

namespace weft::pthread {

class Activity {
 public:
  static constexpr unsigned kLooks = 4;

  explicit Activity(std::uint64_t progress) : last_(progress) {}

  // With the thread's count of waits. Whether it has work.
  [[nodiscard]] bool look(std::uint64_t progress) {
    const bool waits = (progress & 1) != 0;
    if (!waits || progress != last_) {
      quiet_looks_ = 0;
    } else if (quiet_looks_ < kLooks) {
      ++quiet_looks_;
    }
    last_ = progress;
    return quiet_looks_ < kLooks;
  }

 private:
  std::uint64_t last_;
  unsigned quiet_looks_ = 0;
};

}  // namespace weft::pthread
