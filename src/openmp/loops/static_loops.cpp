// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Static loops and sections: a matter of arithmetic, without a message.
#include <algorithm>

#include "openmp/loops/doacross.hpp"
#include "openmp/schedules/static_schedule.hpp"
#include "openmp/team/league.hpp"
#include "openmp/team/team.hpp"
#include "openmp/team/unsupported.hpp"
#include "openmp/tools/events.hpp"

namespace weft::openmp {
namespace {

void tell_begun(Member& member, const Ident* loc, std::uint64_t trips, std::uint64_t lower,
                std::uint64_t own_trips) {
  const ompt_work_t type = tools::static_work(loc);
  tools::tell_work(member, type, ompt_scope_begin, trips);
  if (type == ompt_work_sections) return tools::tell_section(member);
  tools::tell_chunk(member, ompt_dispatch_ws_loop_chunk, lower, own_trips);
}

// False if the loop is libomp's business.
template <typename T, typename Signed>
bool divide_here(Ident* loc, std::int32_t schedule, std::int32_t* last, T* lower, T* upper,
                 Signed* stride, Signed increment, Signed chunk) {
  Member* member = current_member();
  schedule &= ~(kMonotonic | kNonmonotonic);
  const bool distribute = schedule == kDistribute || schedule == kDistributeChunked;
  const LeagueTeam* const team = current_league_team();
  if (distribute ? team == nullptr : member == nullptr) return false;
  if (distribute) schedule -= kDistribute - kStatic;
  const unsigned number = distribute ? team->number : member->number,
                 size = distribute ? team->teams : member->team->size;
  const std::uint64_t trips = trip_count<T>(*lower, *upper, increment);
  if (!distribute && begins_doacross(*member)) {
    const Signed chunk_of_turns = schedule == kStaticChunked ? std::max<Signed>(1, chunk) : 0;
    note_doacross_schedule(*member, static_cast<std::uint64_t>(chunk_of_turns), trips);
  }
  StaticLoop<T> loop{*lower, *upper, increment, *stride, false};
  if (!divide_static_loop(loop, schedule, chunk, number, size)) {
    fail_unsupported("a static loop of an unknown schedule", loc);
  }
  *lower = loop.lower;
  *upper = loop.upper;
  *stride = loop.stride;
  if (last != nullptr) *last = loop.last ? 1 : 0;
  if (tools::watched() && !distribute) {
    tell_begun(*member, loc, trips, static_cast<std::uint64_t>(loop.lower),
               trip_count<T>(*lower, *upper, increment));
  }
  return true;
}

}  // namespace
}  // namespace weft::openmp

using namespace weft;
using namespace weft::openmp;

#define WEFT_STATIC_INIT(suffix, T, Signed)                                                 \
  WEFT_ENTRY void __kmpc_for_static_init_##suffix(                                          \
      Ident* loc, std::int32_t gtid, std::int32_t schedule, std::int32_t* last, T* lower,   \
      T* upper, Signed* stride, Signed increment, Signed chunk) {                           \
    WEFT_NOTE_CALL();                                                                       \
    if (divide_here(loc, schedule, last, lower, upper, stride, increment, chunk)) return;   \
    real().__kmpc_for_static_init_##suffix(loc, gtid, schedule, last, lower, upper, stride, \
                                           increment, chunk);                               \
  }
WEFT_STATIC_INIT(4, std::int32_t, std::int32_t)
WEFT_STATIC_INIT(4u, std::uint32_t, std::int32_t)
WEFT_STATIC_INIT(8, std::int64_t, std::int64_t)
WEFT_STATIC_INIT(8u, std::uint64_t, std::int64_t)

WEFT_ENTRY void __kmpc_for_static_fini(Ident* loc, std::int32_t gtid) {
  WEFT_NOTE_CALL();
  if (Member* const member = current_member(); member != nullptr) {
    tools::tell_work(*member, tools::static_work(loc), ompt_scope_end, 0);
  } else if (league_team_outside_regions() == nullptr) {
    real().__kmpc_for_static_fini(loc, gtid);
  }
}
