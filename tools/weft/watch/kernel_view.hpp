// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a node stands still, by what the kernel says of its threads (/proc), and what they say
// themselves. The kernel decides: a thread that runs, is stopped, sleeps for a time or in any other
// system call than a wait for another thread of its process, is not stuck, whatever the board says.
//
//   waits in Weft (board), sleeps on a futex              stuck, if Weft has set no time
//   sleeps on a futex of the process, no time             stuck: a mutex of a library, a join,
//                                                         a worker of libomp that has nothing to do
//   a thread of Weft's own                                does not count: it serves the others
//   anything else                                         the node does not stand still
//
// Rejected: to believe the boards alone. A program can scribble there, and a handler can compute on
// a thread that waits.
#pragma once

#include <sys/types.h>

#include <optional>

#include "weft/watch/node_view.hpp"

namespace weft {

// Nothing if it does not, or the kernel does not let this process look.
[[nodiscard]] std::optional<Standstill> standstill_of(pid_t process,
                                                      const board::NodeSnapshot& shown);

// What a line of /proc/PID/task/TID/syscall says.
struct SystemCall {
  long number = -1;  // -1: none
  std::uint64_t arguments[6] = {};
};
// Nothing if the thread runs, or the line is not one.
[[nodiscard]] std::optional<SystemCall> parse_system_call(const std::string& line);

}  // namespace weft
