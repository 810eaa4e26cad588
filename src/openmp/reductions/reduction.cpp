// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions of any type and operator, done by the team's barrier. The threads of a node combine
// into the first one's copies, in the order of their numbers; then the node's part goes up the
// barrier's tree with its arrival, and each node on the way combines, in the order of the nodes
// below it, before it arrives itself. Node 0 is left with the whole, and its first thread writes
// the originals before node 0 arrives. So a job of N nodes and T threads rounds alike in each run,
// and a reduction costs no message beside the barrier's.
//
//   node 3 ──arrive, part──► node 1 ──arrive, part──► node 0: originals, arrive
//   node 4 ──arrive, part──►                             │
//      ◄──────────── departure, down the tree ───────────┘
//
// A reduction without a wait is one with a wait, unless the region ends right there: then its
// barrier is the end's. (libomp's tree reduction waits too.)
#include <algorithm>

#include "base/compiler_abi.h"
#include "base/locks/lock_ids.hpp"
#include "openmp/libomp/own_lock.hpp"
#include "openmp/reductions/reduced_items.hpp"
#include "openmp/synchronisation/team_barrier.hpp"
#include "openmp/team/league.hpp"
#include "openmp/team/placed_team.hpp"
#include "openmp/team/team.hpp"
#include "openmp/tools/events.hpp"
#include "stacks/stacks.hpp"

namespace weft::openmp {
namespace {

struct Reduction {
  CombineFunction combine;
  const CallNote* note;
  bool ends_region;  // and so its barrier is the region's last
};

// The program's function runs where the program runs.
void combine(CombineFunction function, void** left, void** right) {
  auto call = [=] { function(left, right); };
  call_on_program_stack([](void* c) { (*static_cast<decltype(call)*>(c))(); }, &call);
}

void combine_threads(const Team& team, const Reduction& reduction) {
  for (unsigned thread = 1; thread < team.local_size; ++thread) {
    combine(reduction.combine, team.reduction_lists[0], team.reduction_lists[thread]);
  }
}

void combine_nodes(const Team& team, const Reduction& reduction) {
  void** list = team.reduction_lists[0];
  for (const Contribution& contribution : team.node->gather()) {
    if (contribution.bytes.empty()) continue;  // of a node without threads in the team
    std::optional<ReceivedItems> items =
        ReceivedItems::read(reduction.note, list, contribution.bytes);
    if (!items) {
      team.node->fail(
          "OpenMP: two nodes reduce different things; the program's threads do not "
          "all come to the same reductions, or this is a bug in Weft");
    }
    combine(reduction.combine, list, items->list());
  }
}

void arrive_with_part(Team& team, const Reduction& reduction) {
  ReductionPart part = make_reduction_part(reduction.note, team.reduction_lists[0]);
  BarrierInput input = reduction.ends_region ? end_of_region() : BarrierInput{};
  input.contribution = std::move(part.bytes);
  // What one of this node's threads has written for all, the originals perhaps, is seen by the
  // thread that adds to them, as if a lock had gone from here to there.
  input.release_to_parent = part.names_memory || team.wrote_for_all.load(std::memory_order_relaxed);
  pass_barrier(team, std::move(input));
}

// True for the thread that is to add the whole to the originals, and then to arrive at the barrier
// that the other threads of node 0 wait at. All others come back when that is over; at a region's
// end, those of node 0 at once.
bool reduce_in_barrier(Member& member, const Reduction& reduction, Ident* loc, std::int32_t gtid) {
  Team& team = *member.team;
  if (arrive_with_tasks_done(member, loc, gtid)) {
    combine_threads(team, reduction);
    combine_nodes(team, reduction);
    if (team.self() != NodeId(0)) {
      arrive_with_part(team, reduction);
    } else {
      team.local_barrier.release(LocalBarrier::Verdict::kPass);
    }
  }
  member.joined = reduction.ends_region && team.self() != NodeId(0);
  if (team.self() != NodeId(0)) return false;
  if (member.local_number == 0) return true;
  if (!reduction.ends_region) team_barrier(member, loc, gtid);
  return false;
}

bool reduce(Member& member, Ident* loc, std::int32_t gtid, void* list, CombineFunction combine) {
  const CallNote* note = note_of(loc);
  const bool ends_region = note != nullptr && note->has(CallNote::kEndsRegion);
  member.team->reduction_lists[member.local_number] = static_cast<void**>(list);
  member.reduction_ends_region = ends_region;
  tools::tell_reduction(member, ompt_scope_begin);
  tools::tell_reduction(member, ompt_scope_end);
  const Reduction reduction{combine, note, ends_region};
  // On node 0 the barrier is told where the threads come to it; that of the region's end at its
  // end.
  if (ends_region && member.team->self() != NodeId(0)) tools::begin_join(member);
  if (ends_region || member.team->self() == NodeId(0)) {
    return reduce_in_barrier(member, reduction, loc, gtid);
  }
  const tools::Waiting waiting(member, tools::barrier_kind(loc));
  return reduce_in_barrier(member, reduction, loc, gtid);
}

// By the thread that got true above, and has written the originals.
void end_reduce(Member& member, Ident* loc, std::int32_t gtid) {
  if (!member.reduction_ends_region) team_barrier(member, loc, gtid);
}

// A team that might span nodes, inside one: combined in the same order, node by node, as if it did.
// True for the first thread, which is to add the whole to the originals.
Ident own_ident = {.flags = 2, .text = ";weft;reduction;0;0;;"};

void combine_as_if_spread(const PlacedTeam& team, CombineFunction function) {
  for (unsigned first = 0; first < team.size; first += team.threads_per_node) {
    const unsigned end = std::min(first + team.threads_per_node, team.size);
    for (unsigned thread = first + 1; thread < end; ++thread) {
      combine(function, team.reduction_lists[first], team.reduction_lists[thread]);
    }
    if (first > 0) combine(function, team.reduction_lists[0], team.reduction_lists[first]);
  }
}

bool reduce_in_placed_team(PlacedTeam& team, const Ident* loc, std::int32_t gtid, void* list,
                           CombineFunction function) {
  const auto number = static_cast<unsigned>(number_in_job());
  const CallNote* note = note_of(loc);
  const bool ends_region = note != nullptr && note->has(CallNote::kEndsRegion);
  team.reduction_lists[number] = static_cast<void**>(list);
  real().__kmpc_barrier(&own_ident, gtid);
  if (number == 0) {
    team.reduction_ends_region = ends_region;
    combine_as_if_spread(team, function);
  }
  // The others' lists are on their stacks. Where the region goes on, they wait for the originals.
  if (number != 0 || ends_region) real().__kmpc_barrier(&own_ident, gtid);
  return number == 0;
}

// By the first thread, which has written the originals.
void end_reduce_in_placed_team(const PlacedTeam& team, std::int32_t gtid) {
  if (!team.reduction_ends_region) real().__kmpc_barrier(&own_ident, gtid);
}

// The teams of a league have no barrier: each combines into the originals when it is ready, holding
// a lock of the job. Where libomp combines the copies of a team's threads, that is libomp's; but
// flang has them combined into the league's originals at once.
thread_local bool holds_lock_of_league = false;

bool meets_other_teams(const Ident* loc) {
  const LeagueTeam* const team = current_league_team();
  return team != nullptr && team->teams > 1 &&
         (league_team_outside_regions() != nullptr || (loc->flags & kReductionByAtomics) == 0);
}

template <typename ReduceInTeam>
std::int32_t reduce_in_league(void* lock, ReduceInTeam reduce_in_team) {
  if (league_team_outside_regions() == nullptr && reduce_in_team() != 1) return 0;
  this_node()->acquire(lock_of(LockKind::kCritical, lock));
  holds_lock_of_league = true;
  return 1;
}

// True if the team's threads have nothing to end.
bool end_reduce_in_league(void* lock) {
  if (!std::exchange(holds_lock_of_league, false)) return false;
  this_node()->release(lock_of(LockKind::kCritical, lock));
  return league_team_outside_regions() != nullptr;
}

// What the entry points share; `libomp` is its own of the same name.
std::int32_t begin(decltype(real().__kmpc_reduce) libomp, Ident* loc, std::int32_t gtid,
                   std::int32_t count, std::size_t bytes, void* list, CombineFunction combine,
                   void* lock) {
  Member* member = current_member();
  return on_runtime_stack([&]() -> std::int32_t {
    if (member != nullptr) return reduce(*member, loc, gtid, list, combine) ? 1 : 0;
    if (PlacedTeam* const team = current_placed_team(); team != nullptr) {
      return reduce_in_placed_team(*team, loc, gtid, list, combine) ? 1 : 0;
    }
    const auto reduce_in_team = [&] {
      return libomp(loc, gtid, count, bytes, list, combine, own_lock(lock));
    };
    return meets_other_teams(loc) ? reduce_in_league(lock, reduce_in_team) : reduce_in_team();
  });
}

void end(decltype(real().__kmpc_end_reduce) libomp, Ident* loc, std::int32_t gtid, void* lock) {
  Member* member = current_member();
  on_runtime_stack([&] {
    if (member != nullptr) return end_reduce(*member, loc, gtid);
    if (const PlacedTeam* const team = current_placed_team(); team != nullptr) {
      return end_reduce_in_placed_team(*team, gtid);
    }
    if (end_reduce_in_league(lock)) return;
    libomp(loc, gtid, own_lock(lock));
  });
}

}  // namespace
}  // namespace weft::openmp

using namespace weft;
using namespace weft::openmp;

WEFT_ENTRY std::int32_t __kmpc_reduce(Ident* loc, std::int32_t gtid, std::int32_t count,
                                      std::size_t bytes, void* list, CombineFunction combine,
                                      void* lock) {
  WEFT_NOTE_CALL();
  return begin(real().__kmpc_reduce, loc, gtid, count, bytes, list, combine, lock);
}

WEFT_ENTRY std::int32_t __kmpc_reduce_nowait(Ident* loc, std::int32_t gtid, std::int32_t count,
                                             std::size_t bytes, void* list, CombineFunction combine,
                                             void* lock) {
  WEFT_NOTE_CALL();
  return begin(real().__kmpc_reduce_nowait, loc, gtid, count, bytes, list, combine, lock);
}

WEFT_ENTRY void __kmpc_end_reduce(Ident* loc, std::int32_t gtid, void* lock) {
  WEFT_NOTE_CALL();
  end(real().__kmpc_end_reduce, loc, gtid, lock);
}

WEFT_ENTRY void __kmpc_end_reduce_nowait(Ident* loc, std::int32_t gtid, void* lock) {
  WEFT_NOTE_CALL();
  end(real().__kmpc_end_reduce_nowait, loc, gtid, lock);
}

// Compiled code says so where it stores to what a reduction adds to
// (compiler/pass/flushes/originals.hpp).
WEFT_ENTRY void __weft_wrote_original() {
  if (const Member* const member = current_member(); member != nullptr) {
    member->team->wrote_for_all.store(true, std::memory_order_relaxed);
  }
}
