// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a thread printed before it lets threads of other nodes go on (a barrier, a lock that it
// gives up, a turn, a task, an atomic store that releases) must come before what they print. Each
// node prints into pipes of its own to the launcher, which writes lines in the order in which it
// reads them; so it is enough that a node's pipes are empty before it goes on. The launcher also
// hears that an unfinished line has its place now: who prints next goes on with it.
#pragma once

#include <stdio_ext.h>

#include <atomic>
#include <cstdint>

#include "base/printed.hpp"

namespace weft {

class Bootstrap;

// Says which descriptors are pipes to the launcher; once, before settle_output.
void watch_output_pipes(Bootstrap& launcher);
// Again, when the program has sent one of them elsewhere.
void look_at_output_pipes();

// Flushes the C library's output and waits until the launcher has read what this node printed.
// One system call for each pipe when nothing was printed. On the runtime stack. Must not be called
// under a lock.
void settle_output();

inline constinit std::atomic<std::uint64_t> settled_count = 0;

// Something was printed since then. What goes to standard error or to an unbuffered standard output
// by ways that Weft does not take over (perror, wide characters) is not seen here.
inline bool has_new_output() {
  return printed_count.load(std::memory_order_relaxed) !=
             settled_count.load(std::memory_order_relaxed) ||
         __fpending(stdout) > 0;
}

inline void order_output() {
  if (has_new_output()) [[unlikely]]
    settle_output();
}

}  // namespace weft
