// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A team of several nodes' threads that runs inside node 0, as libomp's own
// (openmp/placement/spread_choice.hpp says when), and the numbers of threads in the job's teams.
#pragma once

#include <cstdint>
#include <vector>

namespace weft::openmp {

struct PlacedTeam {
  unsigned size = 0;
  unsigned threads_per_node = 0;        // where it spans nodes
  int level = 0;                        // among nested regions
  std::vector<void**> reduction_lists;  // one for each thread
  // Of each thread where the program has thread-local data: whether it uses its own
  // (thread_homes.hpp).
  std::vector<std::intptr_t*> shifts;
  bool reduction_ends_region = false;  // the first thread's present one
};

// The team whose thread the caller is, itself and not in a region nested in that one; else null.
[[nodiscard]] PlacedTeam* current_placed_team();

// The calling thread's number in the outermost team of several threads that the initial thread has
// begun, wherever that team runs; kNoThread on threads of no such team.
inline constexpr int kNoThread = -1;
[[nodiscard]] int number_in_job();

// The calling thread has this number, and is in this team (or null), for as long as this lives.
class JobThread {
 public:
  JobThread(int number, PlacedTeam* team);
  ~JobThread();
  JobThread(const JobThread&) = delete;
  JobThread& operator=(const JobThread&) = delete;

 private:
  const int outer_number_;
  PlacedTeam* const outer_team_;
};

}  // namespace weft::openmp
