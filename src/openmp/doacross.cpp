// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops with ordered(n) and depend(source/sink): each iteration has a sequencer, which goes from 0
// to 1 when the iteration is posted. Sequencers are kept until the job ends, so a loop costs its
// nodes some memory for each iteration.
#include <vector>

#include "openmp/synchronisation_ids.hpp"
#include "openmp/team.hpp"
#include "runtime/stacks.hpp"

namespace weft::openmp {

struct DoacrossNest {
  struct Dimension {
    std::int64_t lower, stride;
    std::uint64_t trips;
  };
  std::uint64_t instance = 0;
  std::vector<Dimension> dimensions;
};

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

// The sequencer of the iteration at these index values; false if it is outside of the loops.
bool sequencer_at(const DoacrossNest& nest, const std::int64_t* indices, SequencerId& sequencer) {
  std::uint64_t linear = 0;
  for (std::size_t i = 0; i < nest.dimensions.size(); ++i) {
    const DoacrossNest::Dimension& d = nest.dimensions[i];
    const bool up = d.stride > 0;
    if (up ? indices[i] < d.lower : indices[i] > d.lower) return false;
    const auto index = static_cast<std::uint64_t>(indices[i]);
    const auto lower = static_cast<std::uint64_t>(d.lower);
    const auto step = static_cast<std::uint64_t>(d.stride);
    const std::uint64_t iteration = up ? (index - lower) / step : (lower - index) / (0 - step);
    if (iteration >= d.trips) return false;
    linear = linear * d.trips + iteration;
  }
  sequencer = sequencer_of(SequencerKind::kDoacross, mix(mix(nest.instance) + linear));
  return true;
}

}  // namespace
}  // namespace weft::openmp

using namespace weft;
using namespace weft::openmp;

WEFT_ENTRY void __kmpc_doacross_init(Ident* loc, std::int32_t gtid, std::int32_t count,
                                     const DoacrossDimension* dimensions) {
  Member* member = current_member();
  if (member == nullptr) return real().__kmpc_doacross_init(loc, gtid, count, dimensions);
  on_runtime_stack([&] {
    member->doacross = std::make_unique<DoacrossNest>();
    member->doacross->instance = instance_of(member->team->region, member->doacross_nests++);
    for (std::int32_t i = 0; i < count; ++i) {
      const DoacrossDimension& d = dimensions[i];
      member->doacross->dimensions.push_back({d.lower, d.stride, trips_of(d)});
    }
  });
}

WEFT_ENTRY void __kmpc_doacross_wait(Ident* loc, std::int32_t gtid, const std::int64_t* indices) {
  Member* member = current_member();
  if (member == nullptr) return real().__kmpc_doacross_wait(loc, gtid, indices);
  SequencerId sequencer;
  if (!sequencer_at(*member->doacross, indices, sequencer)) return;
  on_runtime_stack([&] { member->team->node->await(sequencer, 1); });
}

WEFT_ENTRY void __kmpc_doacross_post(Ident* loc, std::int32_t gtid, const std::int64_t* indices) {
  Member* member = current_member();
  if (member == nullptr) return real().__kmpc_doacross_post(loc, gtid, indices);
  SequencerId sequencer;
  if (!sequencer_at(*member->doacross, indices, sequencer)) return;
  on_runtime_stack([&] { member->team->node->advance(sequencer, 1); });
}

WEFT_ENTRY void __kmpc_doacross_fini(Ident* loc, std::int32_t gtid) {
  Member* member = current_member();
  if (member == nullptr) return real().__kmpc_doacross_fini(loc, gtid);
  on_runtime_stack([&] { member->doacross.reset(); });
}
