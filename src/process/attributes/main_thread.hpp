// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers of threads. In one process main's is the process's, and programs ask gettid() ==
// getpid() to find out where they are, or hand getpid() to what takes a thread (sched_setaffinity).
// In a job another thread than the initial one runs main (node/takeover.cpp). So the program is
// told the job's number for it, and where it names a thread by that number, this one is meant.
//
// On several hosts, two kernels may give one number. There a thread has its node in its number:
//
//   main                  the job's number
//   others, node n        (n + 1) * 2^22 + the kernel's number, which is below 2^22 everywhere
#pragma once

#include <sys/types.h>

#include "base/ids.hpp"
#include "process/requests/kernel_call.hpp"

namespace weft::process {

// On each node: the job's number, and the kernel's of the thread that runs main on node 0.
void adopt_main_thread(pid_t job, pid_t thread);

// For the program: of the calling thread.
[[nodiscard]] pid_t number_of_this_thread();

// For the kernel: the thread that the program means by this number.
struct ThreadMeant {
  pid_t thread = 0;
  NodeId node = NodeId(0);  // the kernel of whose host has given the number
  bool is_here = true;      // that is this host
};
[[nodiscard]] ThreadMeant thread_meant(pid_t number);

// The same for getpriority and setpriority: a group's number is of node 0's host (identity.cpp).
[[nodiscard]] ThreadMeant priority_meant(int which, pid_t whom);

// Makes a system call about a thread on that thread's host. `argument`: which of the call's
// arguments is the thread's number.
long made_for_thread(Node& node, pid_t number, KernelCall call, int argument);

}  // namespace weft::process
