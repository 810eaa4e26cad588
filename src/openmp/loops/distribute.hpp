// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "openmp/team/league.hpp"

namespace weft::openmp {

// The team whose part of a `distribute` loop the calling thread takes; null: libomp knows.
[[nodiscard]] const LeagueTeam* team_to_distribute_to();

}  // namespace weft::openmp
