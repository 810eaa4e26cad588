// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The number of main's thread. In one process it is the process's, and programs ask gettid() ==
// getpid() to find out where they are, or hand getpid() to what takes a thread (sched_setaffinity).
// In a job another thread than the initial one runs main (node/takeover.cpp). So the program is
// told the job's number for it, and where it names a thread by that number, this one is meant.
#pragma once

#include <sys/types.h>

namespace weft::process {

// On each node: the job's number, and the kernel's of the thread that runs main on node 0.
void adopt_main_thread(pid_t job, pid_t thread);

// For the program: of the calling thread.
[[nodiscard]] pid_t number_of_this_thread();
// For the kernel: of the thread that the program means.
[[nodiscard]] pid_t thread_meant(pid_t number);

}  // namespace weft::process
