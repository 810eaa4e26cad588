// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// weft_migrate: the calling thread goes on at another node (pthread/threads/carriers.hpp). It moves
// where it calls, never in the middle of a wait, and only if nothing of it is left behind: no
// function of Weft's or of a library's under way on its runtime stack, no lock that its node has
// for it but mutexes, no remote operation, no signal or cancellation that has come and waits.
#pragma once

#include <atomic>

#include "base/ids.hpp"

namespace weft::pthread {

// Called by a thread that can leave, on its runtime stack, before it goes to that node; null: there
// is nothing to say. Others may count on it that nobody runs there (pthread/gathering). True: the
// thread is counted there already (expect_thread). Set before the program runs.
inline constinit std::atomic<bool (*)(NodeId node)> before_leaving{nullptr};

// The calling thread, on its program stack, goes on at that other node, or stays: false.
bool move_to(NodeId node);

}  // namespace weft::pthread
