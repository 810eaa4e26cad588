// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Leagues of teams on the host. A league of one team (what a program gets that does not ask for
// more) that the job's initial thread begins is that thread alone, and its parallel regions span
// the nodes. Larger leagues are libomp's, on the node that begins them, and so are their regions.
#pragma once

namespace weft::openmp {

// The job's initial thread is in a league of one team.
[[nodiscard]] bool in_league_of_one();
// The calling thread has begun a league of libomp's.
[[nodiscard]] bool in_league_of_libomp();

// What the teams construct limits the threads to; 0 if it does not. Travels with each region.
[[nodiscard]] int league_thread_limit();
void set_league_thread_limit(int limit);

}  // namespace weft::openmp
