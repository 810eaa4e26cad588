// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops with ordered(n) and depend(source/sink).
//
// Everybody knows which thread runs which iteration, as static schedules have it; other schedules
// deal their chunks out by turns as well, in such loops: an iteration is waited for wherever it
// runs, and to know where is worth more than to choose. Each thread runs its iterations, and so
// posts them, in ascending order. So all that a thread has posted is one number, which goes on from
// loop to loop through the whole job. doacross_waits.cpp has them waited for.
#include "openmp/loops/doacross.hpp"

#include <algorithm>
#include <memory>

#include "openmp/libomp/kmp_abi.hpp"
#include "openmp/loops/doacross_waits.hpp"
#include "openmp/team/implied_flush.hpp"
#include "openmp/team/team.hpp"
#include "openmp/tools/events.hpp"
#include "stacks/stacks.hpp"

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

// The number, among all of the nest, of the iteration at these index values; false if it is outside
// of the loops.
bool find_iteration(const DoacrossNest& nest, const std::int64_t* indices, std::uint64_t& number) {
  number = 0;
  for (std::size_t i = 0; i < nest.dimensions.size(); ++i) {
    const DoacrossNest::Dimension& d = nest.dimensions[i];
    const bool up = d.stride > 0;
    if (up ? indices[i] < d.lower : indices[i] > d.lower) return false;
    const auto index = static_cast<std::uint64_t>(indices[i]);
    const auto lower = static_cast<std::uint64_t>(d.lower);
    const auto step = static_cast<std::uint64_t>(d.stride);
    const std::uint64_t iteration = up ? (index - lower) / step : (lower - index) / (0 - step);
    if (iteration >= d.trips) return false;
    number = number * d.trips + iteration;
  }
  return true;
}

// Who runs a share, and where the shares end that this thread runs together with it.
struct Owner {
  unsigned thread;
  std::uint64_t end;
};

// libomp's partition: whole chunks by turns, or blocks of which the first ones are longer by one.
Owner owner_of(const DoacrossNest& nest, std::uint64_t share, unsigned threads) {
  if (nest.chunk != 0) {
    const std::uint64_t turn = share / nest.chunk;
    const std::uint64_t left = nest.shares - turn * nest.chunk;
    return {static_cast<unsigned>(turn % threads), turn * nest.chunk + std::min(nest.chunk, left)};
  }
  const std::uint64_t least = nest.shares / threads, longer = nest.shares % threads;
  const std::uint64_t in_longer = longer * (least + 1);
  if (share < in_longer) {
    const std::uint64_t thread = share / (least + 1);
    return {static_cast<unsigned>(thread), (thread + 1) * (least + 1)};
  }
  const std::uint64_t thread = (share - in_longer) / least;
  return {static_cast<unsigned>(longer + thread), in_longer + (thread + 1) * least};
}

// Whether so many shares are the first loops of the nest together, if each has `excess` iterations
// fewer than it says. (clang gives as the last iteration the number of iterations, one too many.)
bool shares_out(const DoacrossNest& nest, std::uint64_t excess, std::uint64_t shares) {
  std::uint64_t iterations = 1;
  for (const DoacrossNest::Dimension& dimension : nest.dimensions) {
    if (dimension.trips < excess) return false;
    iterations *= dimension.trips - excess;
    if (iterations == shares) return true;
  }
  return false;
}

std::uint64_t iterations_of_job = 0;

}  // namespace

std::uint64_t doacross_iterations_of_job() { return iterations_of_job; }
void set_doacross_iterations_of_job(std::uint64_t iterations) { iterations_of_job = iterations; }

bool begins_doacross(const Member& member) {
  return member.doacross != nullptr && !member.doacross->schedule_known;
}

void note_doacross_schedule(Member& member, std::uint64_t chunk, std::uint64_t trips) {
  if (!begins_doacross(member)) return;
  DoacrossNest& nest = *member.doacross;
  nest.schedule_known = true;
  nest.shares = trips;
  nest.chunk = chunk;
  if (trips == 0) return;
  const std::uint64_t excess = shares_out(nest, 1, trips) ? 1 : 0;
  if (excess == 0 && !shares_out(nest, 0, trips)) {
    member.team->node->fail(
        "OpenMP: loops with ordered(n) that are shared out otherwise than whole");
  }
  std::uint64_t iterations = 1;
  for (DoacrossNest::Dimension& dimension : nest.dimensions) {
    dimension.trips -= excess;
    iterations *= dimension.trips;
  }
  nest.per_share = iterations / trips;
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
  imply_flush();
  Member* member = current_member();
  if (member == nullptr) return real().__kmpc_doacross_wait(loc, gtid, indices);
  const DoacrossNest& nest = *member->doacross;
  std::uint64_t number = 0;
  if (!find_iteration(nest, indices, number)) return;
  const Owner owner = owner_of(nest, number / nest.per_share, member->team->size);
  if (owner.thread != member->number) {
    await_doacross(*member, owner.thread, nest.base + number + 1,
                   nest.base + owner.end * nest.per_share);
  }
  tools::tell_doacross(*member, ompt_dependence_type_sink, {indices, nest.dimensions.size()});
}

WEFT_ENTRY void __kmpc_doacross_post(Ident* loc, std::int32_t gtid, const std::int64_t* indices) {
  imply_flush();
  Member* member = current_member();
  if (member == nullptr) return real().__kmpc_doacross_post(loc, gtid, indices);
  const DoacrossNest& nest = *member->doacross;
  std::uint64_t number = 0;
  if (!find_iteration(nest, indices, number)) return;
  post_doacross(*member, nest.base + number + 1);
  tools::tell_doacross(*member, ompt_dependence_type_source, {indices, nest.dimensions.size()});
}

WEFT_ENTRY void __kmpc_doacross_fini(Ident* loc, std::int32_t gtid) {
  Member* member = current_member();
  if (member == nullptr) return real().__kmpc_doacross_fini(loc, gtid);
  on_runtime_stack([&] { member->doacross.reset(); });
}
