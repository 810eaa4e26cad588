// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which regions and leagues span nodes, and how they begin.
#pragma once

#include <span>

#include "openmp/libomp/kmp_abi.hpp"

namespace weft::openmp {

// What the calling thread begins with this code may span: it is the job's initial thread, outside
// of all teams of several threads.
[[nodiscard]] bool may_span(Microtask microtask);

// Executes a league of that many teams, more than one, on all nodes, or inside this one where no
// other place is faster. `loc`: its place in the source. `thread_limit`: the clause's, 0 if there
// is none.
void fork_league(const Ident* loc, Microtask microtask, std::span<void* const> arguments,
                 unsigned teams, int thread_limit);

}  // namespace weft::openmp
