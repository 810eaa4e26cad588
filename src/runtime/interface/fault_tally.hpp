// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the pages have come from on which a thread has faulted last, or for which its loops have
// asked, and how dense these faults were: over how many points (runtime/interface/move_points.hpp)
// they spread. For threads that may go on at the node that has their data (pthread/balance).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/ids.hpp"
#include "protocol/interface/home_facts.hpp"

namespace weft {

class FaultTally {
 public:
  static constexpr std::uint32_t kWindow = 64;             // faults that are looked at together
  static constexpr std::uint32_t kMost = kWindow * 3 / 4;  // of one home: there the data are

  // A page has come from that home. Of more than a window, the last ones are kept.
  void note(NodeId home) {
    homes_[noted_ % kWindow] = home;
    points_[noted_++ % kWindow] = point_;
  }
  void pass_point() { ++point_; }
  [[nodiscard]] bool is_full() const { return noted_ >= kWindow; }
  void clear() { noted_ = 0; }

  // Of a full window: how many points were passed from its first fault to its last.
  [[nodiscard]] std::uint32_t points() const {
    return points_[(noted_ - 1) % kWindow] - points_[noted_ % kWindow];
  }

  // Of a full window: the home of most of these pages; kNoNode: there is none.
  [[nodiscard]] NodeId home_of_most() const {
    // Sorted, more than half of them cover the middle.
    std::array<NodeId, kWindow> sorted = homes_;
    std::ranges::sort(sorted, {}, &NodeId::value);
    const NodeId middle = sorted[kWindow / 2];
    return std::ranges::count(sorted, middle) >= kMost ? middle : kNoNode;
  }

 private:
  std::array<NodeId, kWindow> homes_{};
  std::array<std::uint32_t, kWindow> points_{};  // at which the faults were
  std::uint32_t noted_ = 0, point_ = 0;
};

// The calling thread's; null: nobody wants to know.
inline constinit thread_local FaultTally* own_fault_tally = nullptr;

}  // namespace weft
