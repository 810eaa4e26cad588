// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long a thread stays at a node once it has been moved there, counted in points
// (move_points.hpp). A thread that is moved again soon after stays twice as long the next time. So
// threads do not go to and fro.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/codec.hpp"
#include "base/ids.hpp"
#include "runtime/interface/node.hpp"

namespace weft::pthread {

struct Stay {
  static constexpr std::uint32_t kShortest = 16, kLongest = 1U << 20;
  static constexpr std::uint32_t kSoon = 4;  // times its length: when it has been worth while

  std::uint32_t points = 0;  // since the thread was moved
  std::uint32_t length = 0;
  bool is_for_good = false;  // the program has said where the thread is to be
  // If it has come for its data: over how many points the faults were spread that led it here. What
  // is left to fault on is mostly elsewhere, and no reason to go there unless it is as much.
  std::uint32_t points_of_faults = UINT32_MAX;
  // If it has been gathered: the node to which it goes back one day.
  NodeId gathered_from = kNoNode;
  WEFT_FIELDS(self.points, self.length, self.is_for_good, self.points_of_faults, self.gathered_from)

  void pass_point() {
    if (points < kSoon * kLongest) ++points;
  }
  [[nodiscard]] bool is_over() const { return points >= length && !is_for_good; }
  // The thread has come to another node.
  void begin_next() {
    length = points < kSoon * length ? std::min(2 * length, kLongest) : kShortest;
    points = 0;
  }
};

// The calling thread's; goes along with it.
inline constinit thread_local Stay own_stay;

}  // namespace weft::pthread
