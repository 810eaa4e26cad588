// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the threads start that a program makes itself (`weft run --threads-on`).
#pragma once

#include <atomic>
#include <cstdint>

#include "base/ids.hpp"
#include "protocol/interface/home_facts.hpp"

namespace weft {

enum class ThreadPolicy : std::uint8_t {
  kAuto,  // as kAll in programs that make threads and have no parallel regions, as kHere in others
  kAll,   // on the node with the fewest
  kHere,  // on the node of the thread that makes them
};

// All nodes alike, and set before the program runs. Nodes are never at rest then
// (runtime/driver/rest_state.hpp): a thread may start there at any time.
inline std::atomic<bool> threads_start_anywhere{false};

// Whether they may go on at other nodes (weft_migrate, --balance), as in threads_start_anywhere.
inline std::atomic<bool> threads_may_move{false};

// They start where they are made, though they could start anywhere.
inline std::atomic<bool> threads_start_with_maker{false};

// Weft moves them by itself: to processors and data (`weft run --balance`); to node 0, where all
// would be faster (`weft run --spread auto`). One of the two at most.
inline std::atomic<bool> threads_are_balanced{false};
inline std::atomic<bool> threads_are_gathered{false};

// A thread that waits without a time limit goes on when another one wakes it, and by nothing else:
// the program never cancels threads, nor sends them signals.
inline std::atomic<bool> sleep_ends_by_wakes{false};

// Where the threads are to start that the calling thread makes (weft_thread_on); kNoNode: Weft
// chooses.
inline constinit thread_local NodeId node_for_threads = kNoNode;

}  // namespace weft
