// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "openmp/team/placed_team.hpp"

#include "openmp/libomp/real.hpp"

namespace weft::openmp {
namespace {

thread_local int number = kNoThread;
thread_local PlacedTeam* placed_team = nullptr;

}  // namespace

PlacedTeam* current_placed_team() {
  if (placed_team == nullptr || real().omp_get_level() != placed_team->level) return nullptr;
  return placed_team;
}

int number_in_job() { return number; }

JobThread::JobThread(int n, PlacedTeam* team) : outer_number_(number), outer_team_(placed_team) {
  number = n;
  placed_team = team;
}

JobThread::~JobThread() {
  number = outer_number_;
  placed_team = outer_team_;
}

}  // namespace weft::openmp
