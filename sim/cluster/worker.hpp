// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread of the simulated program: a queue of small actions, of which it does one at a time.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "base/numbers/random.hpp"
#include "sim/cluster/action.hpp"
#include "sim/programs/plan.hpp"

namespace weft::sim {

struct Worker {
  enum class State : std::uint8_t {
    kIdle,     // has no part in the phase
    kRunning,  // its next step is an event
    kFault,    // waits for a page
    kWaiting,  // waits for a completion
    kDone,
  };
  // Leaves out the actions up to the first of this kind.
  void skip_to(Action::Kind kind) {
    while (todo.front().kind != kind) todo.pop_front();
  }

  ThreadIndex index = 0;
  bool is_outsider = false;
  std::uint16_t node = 0, local = 0;
  Random random{0};
  Random prefetch_random{0};
  Random commit_random{0};
  Random peek_random{0};  // apart, as few plans have peeks, or pages that are overwritten
  Random habit{0};        // of an iterative program, what it chooses to do in the phase
  State state = State::kIdle;
  bool in_engine = false;
  std::size_t phase = 0;
  std::deque<Action> todo;
  std::size_t items_done = 0;
  unsigned steps_left = 0;
  bool held_over_released = false, private_taken = false, at_end = false;
  std::vector<bool> arrivals_done;
  PageIndex faulted;
  std::uint64_t asked_at = 0;  // the memory's calls of unmap until then
  unsigned vain_tries = 0;     // in a loop that waits for other threads
  std::uint64_t right = 0;     // to add
  Bytes term;                  // of a sum
  CellIndex term_cell = 0;
  AtomicRequest atomic;                     // the operation that it waits for
  std::optional<std::uint64_t> flag_value;  // that it has seen, and flushes after
  std::vector<std::uint64_t> flags_seen;    // stages, by flag group
};

// Adds the next few actions of this phase to the worker's queue.
void choose_actions(const Plan& plan, Worker& worker);

}  // namespace weft::sim
