// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The barriers of the team that spans nodes.
#pragma once

#include <cstdint>

#include "openmp/team/team.hpp"

namespace weft::openmp {

// Votes at the team's barriers; see also cancellation.hpp.
inline constexpr std::uint8_t kRegionEnds = 1;

// What a node brings to a region's last barrier.
[[nodiscard]] inline BarrierInput end_of_region() {
  BarrierInput input;
  input.votes = kRegionEnds;
  input.precedes_publication = true;
  return input;
}

// All threads of the team have arrived, their tasks are done, and they see each other's writes.
// Called by every member.
void team_barrier(Member& member, Ident* loc, std::int32_t gtid);

// The same at the region's end.
void join_barrier(Member& member, Ident* loc, std::int32_t gtid);

// The same at a barrier right before the region's end, which is both: flang ends `parallel do` so,
// and whoever ends a loop's construct just before the region.
void last_barrier(Member& member, Ident* loc, std::int32_t gtid);

// The first part of each of them: true for the last thread of the node, once all are there and
// no node's tasks could be executed here any more. It does the node's part and releases the others,
// which come back then.
[[nodiscard]] bool arrive_with_tasks_done(Member& member, Ident* loc, std::int32_t gtid);

// The second part: by that thread, the job's barrier.
void pass_barrier(Team& team, BarrierInput input);

// On a node that has no threads in the team: takes part in its barriers until the region's end.
void attend_barriers(Node& node);

}  // namespace weft::openmp
