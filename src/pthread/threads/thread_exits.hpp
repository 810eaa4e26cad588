// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions to be called at a thread's end, for destructors of its thread-local variables in C++.
// The C library keeps them in memory of the node's own. Those of threads that may move are kept
// here, and go with the thread.
#pragma once

#include <vector>

#include "base/codec.hpp"

namespace weft::pthread {

struct ThreadExit {
  void* function = nullptr;  // void (*)(void*)
  void* argument = nullptr;
  WEFT_FIELDS(self.function, self.argument)
};

// The calling thread's, first to last: it has none here any more, and takes them over elsewhere.
[[nodiscard]] std::vector<ThreadExit> carry_off_thread_exits();
void take_over_thread_exits(std::vector<ThreadExit> exits);

// The calling thread ends, on its runtime stack: calls them, the last one first, and those that
// they register.
void run_thread_exits();

}  // namespace weft::pthread
