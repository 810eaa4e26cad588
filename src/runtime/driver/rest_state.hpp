// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether threads of this node may write while its team waits at a barrier: those outside the team,
// and handlers of signals. A node at rest has told the others that nobody writes here until a
// barrier, or the time between two regions, is over. Then no handlers are admitted.
//
// The state changes under the driver's lock, but where it says otherwise; any thread may look at
// it.
#pragma once

#include <atomic>

namespace weft {

class RestState {
 public:
  [[nodiscard]] bool is_at_rest() const { return at_rest_.load(); }
  // The team arrives at a barrier. Returns whether others may write here meanwhile; else the node
  // is at rest.
  [[nodiscard]] bool arrive() {
    const bool others_here = has_outside_threads();
    at_rest_ = !others_here;
    return others_here;
  }
  // The node waits for a region. Without the lock: it is at rest already, except at its start.
  void wait_for_region() {
    if (!has_outside_threads()) at_rest_ = true;
  }
  void end_rest() { at_rest_ = false; }

  // Without the lock: such threads begin (1) or end (-1).
  void count_outside_threads(int change) { outside_threads_.fetch_add(change); }
  [[nodiscard]] bool has_outside_threads() const { return outside_threads_.load() > 0; }

 private:
  std::atomic<int> outside_threads_{0};
  std::atomic<bool> at_rest_{false};
};

}  // namespace weft
