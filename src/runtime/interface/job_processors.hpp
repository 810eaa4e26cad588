// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The processors that threads of this node may use. Each node of a host is bound to its share of
// what the launcher may use; what the others leave idle is to be had as well.
#pragma once

#include <sched.h>
#include <sys/types.h>

#include <cstddef>

namespace weft {

// Of this process or another one, by the kernel's number; 0: of the calling thread. Not by the C
// library's functions, which are the program's view of the job.
[[nodiscard]] cpu_set_t processors_of(pid_t process);

// Those of all nodes on this host: the launcher's, which is their parent.
[[nodiscard]] cpu_set_t processors_of_job_here();

// The calling thread's, from now on.
void let_run_on(const cpu_set_t& processors);

// How many processors the program is told of where its threads start on any node: one for each
// thread of the job. 0: of those that this host has.
[[nodiscard]] int processors_told();
// Whether a set has some of those. If the kernel refuses it, they are none of this host's: they
// stand for no processor, and a thread that is bound to them stays free.
[[nodiscard]] bool has_processors_told(const cpu_set_t* set, std::size_t bytes);

// By variables for OpenMP. Then each node keeps to its own.
[[nodiscard]] bool user_places_threads();

}  // namespace weft
