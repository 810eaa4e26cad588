// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tells a job that waits for ever from one that computes: whether, in several looks one after the
// other, all nodes stand still and nothing is under way between them; and the report of it. Pure:
// who calls looks at the nodes, and says nothing of time.
//
// It must never take a job for stuck that is not. So all of this has to hold, in each look:
//   - every node is there, and stands still (kernel_view.hpp)
//   - the nodes have received as many messages as they have sent
//   - since the look before, no thread has gone on, nor a message
//   - no handler of a signal could let a thread go on: a semaphore or futex is waited for by
//     nobody, or the program has no handlers
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "weft/watch/node_view.hpp"

namespace weft {

// Whether, of all nodes of the job in one look, the conditions hold that one look can show.
[[nodiscard]] bool all_stand_still(const std::vector<NodeView>& nodes);

class DeadlockFinder {
 public:
  // Looks in a row that must show the same, before the job counts as stuck.
  static constexpr unsigned kLooks = 3;

  // The next look, at all nodes of the job. True once, when it completes such a row; true again
  // only after something has moved.
  [[nodiscard]] bool on_look(const std::vector<NodeView>& nodes);
  // As of the last look.
  [[nodiscard]] bool is_stuck() const { return looks_ >= kLooks; }
  // Once after on_look() was true: a later look has shown all nodes, and one of them moves.
  [[nodiscard]] bool take_movement() { return std::exchange(has_moved_again_, false); }

 private:
  std::vector<std::uint64_t> last_;  // fingerprints; empty: something moved
  unsigned looks_ = 0;               // that show them
  bool has_moved_again_ = false;
};

// Lines, without ends: which thread of which node waits for what, where, and who holds that. Equal
// ones of a node are one line. `hosts`: names, by node; empty ones are left out.
[[nodiscard]] std::vector<std::string> deadlock_report(const std::vector<NodeView>& nodes,
                                                       const std::vector<std::string>& hosts);

// The same of nodes that may go on, all with `shown`: each of their waits. A holder is named where
// it is among them; no circle is, as what the nodes show is not of one moment.
[[nodiscard]] std::vector<std::string> wait_report(const std::vector<NodeView>& nodes,
                                                   const std::vector<std::string>& hosts);

}  // namespace weft
