// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace weft::pthread {

// Asked for by every node at its start, in the same order.
void prepare_keys();

// The calling thread ends: runs the destructors of its values of the job's keys.
void destroy_values();

// Sees to it that what a thread leaves is cleaned up when it ends, however it does: after the
// destructors of thread-local variables.
void clean_up_at_end_of_thread();

}  // namespace weft::pthread
