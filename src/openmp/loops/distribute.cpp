// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that flang shares out among the teams of a league and among the threads of each at once:
// first comes the team's block, then the loop over that. (clang makes two loops of them, of which
// the first is in static_loops.cpp.)
#include "openmp/loops/distribute.hpp"

#include "openmp/schedules/static_schedule.hpp"
#include "openmp/team/league.hpp"
#include "openmp/team/team.hpp"

namespace weft::openmp {
namespace {

constexpr LeagueTeam kOnlyTeam{};

// The team's part of a loop, in place of the whole; it may be empty. True if the loop's last
// iteration is in it.
template <typename T, typename Signed>
bool take_part_of_team(const LeagueTeam& team, T* lower, T* upper, Signed increment) {
  StaticLoop<T> loop{*lower, *upper, increment, 0, false};
  (void)divide_static_loop<T>(loop, kStatic, 1, team.number, team.teams);
  *lower = loop.lower;
  *upper = loop.upper;
  return loop.last;
}

}  // namespace

// The regions of a league of one team span the nodes: their members are in no other one.
const LeagueTeam* team_to_distribute_to() {
  const LeagueTeam* team = current_league_team();
  return team == nullptr && current_member() != nullptr ? &kOnlyTeam : team;
}

}  // namespace weft::openmp

using namespace weft;
using namespace weft::openmp;

// A team without iterations has none for its threads either, whatever the bounds wrap to.
#define WEFT_DISTRIBUTE(suffix, T, Signed)                                                         \
  WEFT_ENTRY void __kmpc_for_static_init_##suffix(Ident*, std::int32_t, std::int32_t,              \
                                                  std::int32_t*, T*, T*, Signed*, Signed, Signed); \
  WEFT_ENTRY void __kmpc_dispatch_init_##suffix(Ident*, std::int32_t, std::int32_t, T, T, Signed,  \
                                                Signed);                                           \
  WEFT_ENTRY void __kmpc_dist_for_static_init_##suffix(                                            \
      Ident* loc, std::int32_t gtid, std::int32_t schedule, std::int32_t* last, T* lower,          \
      T* upper, T* upper_of_team, Signed* stride, Signed increment, Signed chunk) {                \
    const LeagueTeam* const team = team_to_distribute_to();                                        \
    if (team == nullptr) {                                                                         \
      return real().__kmpc_dist_for_static_init_##suffix(loc, gtid, schedule, last, lower, upper,  \
                                                         upper_of_team, stride, increment, chunk); \
    }                                                                                              \
    const bool has_last = take_part_of_team(*team, lower, upper, increment);                       \
    *upper_of_team = *upper;                                                                       \
    __kmpc_for_static_init_##suffix(loc, gtid, schedule, last, lower, upper, stride, increment,    \
                                    chunk);                                                        \
    if (last != nullptr && !has_last) *last = 0;                                                   \
  }                                                                                                \
  WEFT_ENTRY void __kmpc_dist_dispatch_init_##suffix(                                              \
      Ident* loc, std::int32_t gtid, std::int32_t schedule, std::int32_t* last, T lower, T upper,  \
      Signed stride, Signed chunk) {                                                               \
    const LeagueTeam* const team = team_to_distribute_to();                                        \
    if (team == nullptr) {                                                                         \
      return real().__kmpc_dist_dispatch_init_##suffix(loc, gtid, schedule, last, lower, upper,    \
                                                       stride, chunk);                             \
    }                                                                                              \
    const bool has_last = take_part_of_team(*team, &lower, &upper, stride);                        \
    if (last != nullptr) *last = has_last ? 1 : 0;                                                 \
    __kmpc_dispatch_init_##suffix(loc, gtid, schedule, lower, upper, stride, chunk);               \
  }                                                                                                \
  WEFT_ENTRY void __kmpc_team_static_init_##suffix(                                                \
      Ident* loc, std::int32_t gtid, std::int32_t* last, T* lower, T* upper, Signed* stride,       \
      Signed increment, Signed chunk) {                                                            \
    const LeagueTeam* const team = team_to_distribute_to();                                        \
    if (team == nullptr) {                                                                         \
      return real().__kmpc_team_static_init_##suffix(loc, gtid, last, lower, upper, stride,        \
                                                     increment, chunk);                            \
    }                                                                                              \
    StaticLoop<T> loop{*lower, *upper, increment, *stride, false};                                 \
    (void)divide_static_loop<T>(loop, kStaticChunked, chunk, team->number, team->teams);           \
    *lower = loop.lower;                                                                           \
    *upper = loop.upper;                                                                           \
    *stride = loop.stride;                                                                         \
    if (last != nullptr) *last = loop.last ? 1 : 0;                                                \
  }
WEFT_DISTRIBUTE(4, std::int32_t, std::int32_t)
WEFT_DISTRIBUTE(4u, std::uint32_t, std::int32_t)
WEFT_DISTRIBUTE(8, std::int64_t, std::int64_t)
WEFT_DISTRIBUTE(8u, std::uint64_t, std::int64_t)
