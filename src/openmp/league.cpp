// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "openmp/league.hpp"

#include <algorithm>
#include <atomic>
#include <cstdarg>
#include <utility>

#include "openmp/inner_region.hpp"
#include "openmp/region.hpp"
#include "openmp/static_schedule.hpp"
#include "openmp/team.hpp"
#include "runtime/stacks.hpp"

namespace weft::openmp {
namespace {

std::atomic<bool> league_of_one{false};
std::atomic<int> thread_limit{0};
thread_local unsigned leagues_of_libomp = 0;
// Clauses of the league that this thread begins next.
thread_local std::int32_t wanted_teams = 0, wanted_thread_limit = 0;

bool has_one_team() {
  if (wanted_teams != 0) return wanted_teams == 1;
  return real().omp_get_max_teams() <= 1;
}

bool may_be_of_one() {
  const Node* node = this_node();
  return node != nullptr && is_initial_thread(*node) && !in_league_of_one() &&
         !in_league_of_libomp() && current_member() == nullptr && is_on_program_stack() &&
         real().omp_get_active_level() == 0 && has_one_team();
}

// Runs the league's one team: the code that follows `teams`, by the initial thread.
void run_league_of_one(Ident* loc, Microtask microtask, std::span<void* const> arguments) {
  const int clause = std::exchange(wanted_thread_limit, 0);
  wanted_teams = 0;
  const int limit = clause > 0 ? clause : real().omp_get_teams_thread_limit();
  const int threads = real().omp_get_max_threads();
  if (limit > 0 && limit < threads) real().omp_set_num_threads(limit);
  thread_limit = clause;
  league_of_one = true;
  const std::int32_t gtid = real().__kmpc_global_thread_num(loc);
  invoke_on_program_stack(microtask, gtid, 0, arguments.data(), arguments.size());
  league_of_one = false;
  thread_limit = 0;
  real().omp_set_num_threads(threads);
}

void run_league_of_libomp(Ident* loc, const InnerRegion& region) {
  const std::int32_t gtid = real().__kmpc_global_thread_num(loc);
  const int teams = std::exchange(wanted_teams, 0);
  const int limit = std::exchange(wanted_thread_limit, 0);
  if (teams != 0 || limit != 0) real().__kmpc_push_num_teams(loc, gtid, teams, limit);
  const OutsideTeam outside;
  ++leagues_of_libomp;
  real().__kmpc_fork_teams(loc, 1, reinterpret_cast<Microtask>(inner_thread), &region);
  --leagues_of_libomp;
}

template <typename T, typename Signed>
void distribute_to_one(std::int32_t* last, T* lower, T* upper, Signed* stride, Signed increment,
                       Signed chunk) {
  StaticLoop<T> loop{*lower, *upper, increment, *stride, false};
  (void)divide_static_loop(loop, kStaticChunked, chunk, 0, 1);
  *lower = loop.lower;
  *upper = loop.upper;
  *stride = loop.stride;
  if (last != nullptr) *last = loop.last ? 1 : 0;
}

}  // namespace

bool in_league_of_one() { return league_of_one.load(std::memory_order_relaxed); }
bool in_league_of_libomp() { return leagues_of_libomp != 0; }
int league_thread_limit() { return thread_limit.load(std::memory_order_relaxed); }
void set_league_thread_limit(int limit) { thread_limit.store(limit, std::memory_order_relaxed); }

}  // namespace weft::openmp

using namespace weft;
using namespace weft::openmp;

WEFT_ENTRY void __kmpc_push_num_teams(Ident*, std::int32_t, std::int32_t teams,
                                      std::int32_t limit) {
  wanted_teams = teams;
  wanted_thread_limit = limit;
}

// Any number between the two is right; libomp takes the upper one, too.
WEFT_ENTRY void __kmpc_push_num_teams_51(Ident*, std::int32_t, std::int32_t lower,
                                         std::int32_t upper, std::int32_t limit) {
  wanted_teams = upper != 0 ? upper : lower;
  wanted_thread_limit = limit;
}

WEFT_ENTRY void __kmpc_fork_teams(Ident* loc, std::int32_t count, Microtask microtask, ...) {
  WEFT_NOTE_CALL();
  va_list list;
  va_start(list, microtask);
  const std::vector<void*> arguments = collect_arguments(count, list);
  va_end(list);
  const bool of_one = may_be_of_one();
  const InnerRegion region = inner_region(microtask, arguments);
  forget_clauses();
  on_runtime_stack([&] {
    if (of_one) return run_league_of_one(loc, microtask, arguments);
    run_league_of_libomp(loc, region);
  });
}

// Loops of `distribute parallel for` as flang makes them: shared out among the teams first, then
// among the threads of each. Elsewhere than in a league of libomp's there is one team.
#define WEFT_DISTRIBUTE(suffix, T, Signed)                                                         \
  WEFT_ENTRY void __kmpc_for_static_init_##suffix(Ident*, std::int32_t, std::int32_t,              \
                                                  std::int32_t*, T*, T*, Signed*, Signed, Signed); \
  WEFT_ENTRY void __kmpc_dispatch_init_##suffix(Ident*, std::int32_t, std::int32_t, T, T, Signed,  \
                                                Signed);                                           \
  WEFT_ENTRY void __kmpc_dist_for_static_init_##suffix(                                            \
      Ident* loc, std::int32_t gtid, std::int32_t schedule, std::int32_t* last, T* lower,          \
      T* upper, T* upper_of_team, Signed* stride, Signed increment, Signed chunk) {                \
    if (current_member() == nullptr && !in_league_of_one()) {                                      \
      return real().__kmpc_dist_for_static_init_##suffix(loc, gtid, schedule, last, lower, upper,  \
                                                         upper_of_team, stride, increment, chunk); \
    }                                                                                              \
    *upper_of_team = *upper;                                                                       \
    __kmpc_for_static_init_##suffix(loc, gtid, schedule, last, lower, upper, stride, increment,    \
                                    chunk);                                                        \
  }                                                                                                \
  WEFT_ENTRY void __kmpc_dist_dispatch_init_##suffix(                                              \
      Ident* loc, std::int32_t gtid, std::int32_t schedule, std::int32_t* last, T lower, T upper,  \
      Signed stride, Signed chunk) {                                                               \
    if (current_member() == nullptr && !in_league_of_one()) {                                      \
      return real().__kmpc_dist_dispatch_init_##suffix(loc, gtid, schedule, last, lower, upper,    \
                                                       stride, chunk);                             \
    }                                                                                              \
    if (last != nullptr) *last = 1;                                                                \
    __kmpc_dispatch_init_##suffix(loc, gtid, schedule, lower, upper, stride, chunk);               \
  }                                                                                                \
  WEFT_ENTRY void __kmpc_team_static_init_##suffix(                                                \
      Ident* loc, std::int32_t gtid, std::int32_t* last, T* lower, T* upper, Signed* stride,       \
      Signed increment, Signed chunk) {                                                            \
    if (current_member() == nullptr && !in_league_of_one()) {                                      \
      return real().__kmpc_team_static_init_##suffix(loc, gtid, last, lower, upper, stride,        \
                                                     increment, chunk);                            \
    }                                                                                              \
    distribute_to_one(last, lower, upper, stride, increment, chunk);                               \
  }
WEFT_DISTRIBUTE(4, std::int32_t, std::int32_t)
WEFT_DISTRIBUTE(4u, std::uint32_t, std::int32_t)
WEFT_DISTRIBUTE(8, std::int64_t, std::int64_t)
WEFT_DISTRIBUTE(8u, std::uint64_t, std::int64_t)
