// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A node's main thread on its way to the tool. libomp knows it as soon as the node starts, since
// Weft asks it for numbers; the program may use OpenMP later, from other threads, or never. So the
// tool hears of the thread and its initial task when there is something else to tell of them: as
// where libomp is started by the program. On another node than the first it is a worker to a tool
// of the job, and there from the first region on in which the node takes part.
#pragma once

#include <omp-tools.h>

namespace weft::openmp::tools {

// What libomp tells. True: it is not to be passed on now.
[[nodiscard]] bool hold_thread_begin(ompt_thread_t type, ompt_data_t* thread);
[[nodiscard]] bool hold_thread_end();
[[nodiscard]] bool hold_initial_task(ompt_scope_endpoint_t endpoint, ompt_data_t* parallel,
                                     ompt_data_t* task, unsigned teams, unsigned index, int flags);

// What libomp has for it; null before it starts.
[[nodiscard]] const ompt_data_t* initial_task_of_main_thread();

// Tells what was held of the calling thread.
void tell_held_thread();

}  // namespace weft::openmp::tools
