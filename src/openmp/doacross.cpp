// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops with ordered(n) and depend(source/sink).
//
// In a loop with a static schedule everybody knows which thread runs which iteration, and each
// thread runs its iterations, and so posts them, in ascending order. So all that a thread has
// posted is one number, kept in a sequencer at its own node: posting costs no message, and waiting
// for another node one pair, whose answer tells how far that thread has come by then. The numbers
// go on from loop to loop through the whole job, and so do the sequencers, one for each thread.
//
// In other loops (dynamic, or collapsed) each iteration has a sequencer, which goes from 0 to 1
// when it is posted, and is kept until the job ends.
#include "openmp/doacross.hpp"

#include <algorithm>
#include <memory>

#include "base/placement.hpp"
#include "openmp/kmp_abi.hpp"
#include "openmp/synchronisation_ids.hpp"
#include "openmp/team.hpp"
#include "runtime/stacks.hpp"

namespace weft::openmp {

Member::Member() = default;
Member::~Member() = default;

namespace {

std::uint64_t trips_of(const DoacrossDimension& d) {
  if (d.stride > 0 ? d.upper < d.lower : d.lower < d.upper) return 0;
  const auto low = static_cast<std::uint64_t>(d.lower), high = static_cast<std::uint64_t>(d.upper);
  const auto step = static_cast<std::uint64_t>(d.stride);
  return d.stride > 0 ? (high - low) / step + 1 : (low - high) / (0 - step) + 1;
}

// Spreads (instance, iteration) over the numbers that sequencers have for this (splitmix64's
// finaliser, a bijection of 64 bits before the upper ones are cut).
std::uint64_t mix(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31);
}

// An iteration of the nest: the one of the outermost loop, and its number among all.
struct Iteration {
  std::uint64_t outermost = 0, number = 0;
};

// The iteration at these index values; false if it is outside of the loops.
bool find_iteration(const DoacrossNest& nest, const std::int64_t* indices, Iteration& found) {
  for (std::size_t i = 0; i < nest.dimensions.size(); ++i) {
    const DoacrossNest::Dimension& d = nest.dimensions[i];
    const bool up = d.stride > 0;
    if (up ? indices[i] < d.lower : indices[i] > d.lower) return false;
    const auto index = static_cast<std::uint64_t>(indices[i]);
    const auto lower = static_cast<std::uint64_t>(d.lower);
    const auto step = static_cast<std::uint64_t>(d.stride);
    const std::uint64_t iteration = up ? (index - lower) / step : (lower - index) / (0 - step);
    if (iteration >= d.trips) return false;
    if (i == 0) found.outermost = iteration;
    found.number = found.number * d.trips + iteration;
  }
  return true;
}

SequencerId sequencer_of_iteration(const DoacrossNest& nest, const Iteration& iteration) {
  return sequencer_of(SequencerKind::kDoacross, mix(mix(nest.instance) + iteration.number) >> 4);
}

SequencerId sequencer_of_thread(const Team& team, unsigned thread) {
  const auto keeper = static_cast<std::uint16_t>(thread / team.threads_per_node);
  return placed_sequencer(NodeId(keeper), thread);
}

// libomp's partition: whole chunks by turns, or blocks of which the first ones are longer by one.
unsigned owner_of(const DoacrossNest& nest, std::uint64_t iteration, unsigned threads) {
  if (nest.chunk != 0) return static_cast<unsigned>(iteration / nest.chunk % threads);
  const std::uint64_t trips = nest.dimensions[0].trips;
  const std::uint64_t least = trips / threads, longer = trips % threads;
  const std::uint64_t in_longer = longer * (least + 1);
  return static_cast<unsigned>(iteration < in_longer ? iteration / (least + 1)
                                                     : longer + (iteration - in_longer) / least);
}

void wait_for_thread(Member& member, unsigned thread, std::uint64_t value) {
  Team& team = *member.team;
  if (thread == member.number) return;
  const unsigned local = thread - team.first;  // wraps for threads of nodes before this one
  if (local < team.local_size && team.posted[local].load(std::memory_order_acquire) >= value)
    return;
  if (member.seen_posted.empty()) member.seen_posted.resize(team.size);
  if (member.seen_posted[thread] >= value) return;
  on_runtime_stack([&] {
    member.seen_posted[thread] = team.node->await(sequencer_of_thread(team, thread), value);
  });
}

std::uint64_t iterations_of_job = 0;

}  // namespace

std::uint64_t doacross_iterations_of_job() { return iterations_of_job; }
void set_doacross_iterations_of_job(std::uint64_t iterations) { iterations_of_job = iterations; }

void note_doacross_schedule(Member& member, std::int32_t schedule, std::int64_t chunk,
                            std::uint64_t trips) {
  DoacrossNest* nest = member.doacross.get();
  if (nest == nullptr || nest->schedule_known) return;
  nest->schedule_known = true;
  // If the loops are collapsed, what is shared out are not the iterations of the outermost.
  if (trips != nest->dimensions[0].trips || trips == 0) return;
  nest->by_thread = schedule == kStatic || schedule == kStaticChunked;
  nest->chunk =
      schedule == kStaticChunked ? static_cast<std::uint64_t>(std::max<std::int64_t>(1, chunk)) : 0;
}

}  // namespace weft::openmp

using namespace weft;
using namespace weft::openmp;

WEFT_ENTRY void __kmpc_doacross_init(Ident* loc, std::int32_t gtid, std::int32_t count,
                                     const DoacrossDimension* dimensions) {
  Member* member = current_member();
  if (member == nullptr) return real().__kmpc_doacross_init(loc, gtid, count, dimensions);
  on_runtime_stack([&] {
    member->doacross = std::make_unique<DoacrossNest>();
    DoacrossNest& nest = *member->doacross;
    nest.instance = instance_of(member->team->region, member->doacross_nests++);
    nest.base = member->doacross_iterations;
    std::uint64_t iterations = 1;
    for (std::int32_t i = 0; i < count; ++i) {
      const DoacrossDimension& d = dimensions[i];
      nest.dimensions.push_back({d.lower, d.stride, trips_of(d)});
      iterations *= nest.dimensions.back().trips;
    }
    member->doacross_iterations += iterations;
  });
}

WEFT_ENTRY void __kmpc_doacross_wait(Ident* loc, std::int32_t gtid, const std::int64_t* indices) {
  Member* member = current_member();
  if (member == nullptr) return real().__kmpc_doacross_wait(loc, gtid, indices);
  const DoacrossNest& nest = *member->doacross;
  Iteration iteration;
  if (!find_iteration(nest, indices, iteration)) return;
  if (nest.by_thread) {
    const unsigned owner = owner_of(nest, iteration.outermost, member->team->size);
    return wait_for_thread(*member, owner, nest.base + iteration.number + 1);
  }
  const SequencerId sequencer = sequencer_of_iteration(nest, iteration);
  on_runtime_stack([&] { member->team->node->await(sequencer, 1); });
}

WEFT_ENTRY void __kmpc_doacross_post(Ident* loc, std::int32_t gtid, const std::int64_t* indices) {
  Member* member = current_member();
  if (member == nullptr) return real().__kmpc_doacross_post(loc, gtid, indices);
  const DoacrossNest& nest = *member->doacross;
  Iteration iteration;
  if (!find_iteration(nest, indices, iteration)) return;
  Team& team = *member->team;
  if (nest.by_thread) {
    const std::uint64_t value = nest.base + iteration.number + 1;
    team.posted[member->local_number].store(value, std::memory_order_release);
    on_runtime_stack([&] { team.node->advance(sequencer_of_thread(team, member->number), value); });
    return;
  }
  const SequencerId sequencer = sequencer_of_iteration(nest, iteration);
  on_runtime_stack([&] { team.node->advance(sequencer, 1); });
}

WEFT_ENTRY void __kmpc_doacross_fini(Ident* loc, std::int32_t gtid) {
  Member* member = current_member();
  if (member == nullptr) return real().__kmpc_doacross_fini(loc, gtid);
  on_runtime_stack([&] { member->doacross.reset(); });
}
