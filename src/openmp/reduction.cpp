// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions of any type and operator. First the threads of a node combine, in the order of their
// numbers, into the first one's copies; then the first threads of the nodes add theirs to the
// original, in the order of the nodes. So a job of N nodes and T threads rounds alike in each run.
//
// Each node has a turn of a sequencer that lasts the whole job; waiting for it is the acquire of
// what the node before has written into the original.
#include <map>
#include <mutex>

#include "openmp/synchronisation_ids.hpp"
#include "openmp/team.hpp"
#include "runtime/stacks.hpp"

namespace weft::openmp {
namespace {

const SequencerId kSequencer = sequencer_of(SequencerKind::kReduction, 0);

struct Combination {
  CombineFunction combine;
  void** lists;  // one for each thread of the node
  unsigned count;
};

void combine_lists(void* pointer) {
  const auto& c = *static_cast<const Combination*>(pointer);
  for (unsigned thread = 1; thread < c.count; ++thread) c.combine(c.lists[0], c.lists[thread]);
}

// True for the thread that adds its node's part to the original, now that it is the node's turn.
// In the waiting form the other threads come back when all nodes have.
bool reduce(Member& member, Ident* loc, std::int32_t gtid, void* list, CombineFunction combine,
            bool waiting) {
  using Verdict = LocalBarrier::Verdict;
  Team& team = *member.team;
  const std::uint64_t construct = member.reductions++;
  team.reduction_lists[member.local_number] = list;
  // A thread's copies may go out of scope once it is let go: hence the node's barrier.
  if (team.local_barrier.arrive([&] { return run_something(member); }) == Verdict::kDecide) {
    Combination combination{combine, team.reduction_lists, team.local_size};
    call_on_program_stack(combine_lists, &combination);
    team.local_barrier.release(Verdict::kPass);
  }
  if (member.local_number != 0) {
    if (waiting) team_barrier(member, loc, gtid);
    return false;
  }
  const std::uint64_t turn = turn_of(team.region, construct, team.self(), team.nodes);
  if (turn != turn_of(team.region, 0, 0, team.nodes)) team.node->await(kSequencer, turn);
  return true;
}

// The thread that got true above has added its part.
void end_turn(Member& member) {
  const Team& team = *member.team;
  const std::uint64_t construct = member.reductions - 1;
  team.node->advance(kSequencer, turn_of(team.region, construct, team.self(), team.nodes) + 1);
}

// libomp writes into the lock that it is given, and this one is in shared memory, where other
// nodes' libomp would take it for theirs: each node has one of its own in its place.
void* own_lock(void* lock) {
  struct Name {
    alignas(64) char bytes[64] = {};
  };
  static std::mutex guard;
  static std::map<void*, Name> names;  // its elements stay where they are
  const std::lock_guard locked(guard);
  return &names[lock];
}

}  // namespace
}  // namespace weft::openmp

using namespace weft;
using namespace weft::openmp;

WEFT_ENTRY std::int32_t __kmpc_reduce(Ident* loc, std::int32_t gtid, std::int32_t count,
                                      std::size_t bytes, void* list, CombineFunction combine,
                                      void* lock) {
  Member* member = current_member();
  return on_runtime_stack([&]() -> std::int32_t {
    if (member != nullptr) return reduce(*member, loc, gtid, list, combine, true) ? 1 : 0;
    return real().__kmpc_reduce(loc, gtid, count, bytes, list, combine, own_lock(lock));
  });
}

WEFT_ENTRY std::int32_t __kmpc_reduce_nowait(Ident* loc, std::int32_t gtid, std::int32_t count,
                                             std::size_t bytes, void* list, CombineFunction combine,
                                             void* lock) {
  Member* member = current_member();
  return on_runtime_stack([&]() -> std::int32_t {
    if (member != nullptr) return reduce(*member, loc, gtid, list, combine, false) ? 1 : 0;
    return real().__kmpc_reduce_nowait(loc, gtid, count, bytes, list, combine, own_lock(lock));
  });
}

WEFT_ENTRY void __kmpc_end_reduce(Ident* loc, std::int32_t gtid, void* lock) {
  Member* member = current_member();
  on_runtime_stack([&] {
    if (member == nullptr) return real().__kmpc_end_reduce(loc, gtid, own_lock(lock));
    end_turn(*member);
    team_barrier(*member, loc, gtid);
  });
}

WEFT_ENTRY void __kmpc_end_reduce_nowait(Ident* loc, std::int32_t gtid, void* lock) {
  Member* member = current_member();
  on_runtime_stack([&] {
    if (member == nullptr) return real().__kmpc_end_reduce_nowait(loc, gtid, own_lock(lock));
    end_turn(*member);
  });
}
