// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the threads of spanning teams have the program's thread-local variables: a table in shared
// memory, by node and by the thread's number there. A thread that runs inside node 0 in the place
// of one of another node's finds that one's variables by it, at the same addresses. Nothing is
// copied.
//
// Rejected: threads of node 0 that are born where the other node's are, in private memory at the
// same addresses. Compiled code would stay as it is. But libomp chooses which thread gets which
// number, and gives the same threads to nested regions, which must not share their variables.
#pragma once

#include <cstdint>

#include "runtime/interface/node.hpp"

namespace weft::openmp {

// On all nodes, when they start.
void prepare_thread_homes(const Node& node);

// The calling thread has this number in its node's part of a spanning team.
void note_thread_home(const Node& node, unsigned local_number);

// Whether all threads of such a team have been noted, each with variables in shared memory. On the
// main thread, between regions.
[[nodiscard]] bool are_thread_homes_known(unsigned team_size, unsigned threads_per_node);

// From now on the calling thread uses the variables of the thread with this number, which is known.
// Returns where to write 0 when it shall use its own again. None of its functions of the program
// may be under way then.
[[nodiscard]] std::intptr_t* stand_in_for(unsigned number, unsigned threads_per_node);

}  // namespace weft::openmp
