// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Static loops and sections: a matter of arithmetic, without a message.
#include <algorithm>

#include "openmp/league.hpp"
#include "openmp/static_schedule.hpp"
#include "openmp/team.hpp"
#include "openmp/unsupported.hpp"

namespace weft::openmp {
namespace {

// False if the loop is libomp's business.
template <typename T, typename Signed>
bool divide_here(Ident* loc, std::int32_t schedule, std::int32_t* last, T* lower, T* upper,
                 Signed* stride, Signed increment, Signed chunk) {
  Member* member = current_member();
  schedule &= ~(kMonotonic | kNonmonotonic);
  const bool distribute = schedule == kDistribute || schedule == kDistributeChunked;
  if (distribute ? !in_league_of_one() : member == nullptr) return false;
  // All that is distributed goes to the one team.
  if (distribute) schedule -= kDistribute - kStatic;
  const unsigned number = distribute ? 0 : member->number,
                 size = distribute ? 1 : member->team->size;
  if (!distribute && begins_doacross(*member)) {
    const Signed chunk_of_turns = schedule == kStaticChunked ? std::max<Signed>(1, chunk) : 0;
    note_doacross_schedule(*member, static_cast<std::uint64_t>(chunk_of_turns),
                           trip_count<T>(*lower, *upper, increment));
  }
  StaticLoop<T> loop{*lower, *upper, increment, *stride, false};
  if (!divide_static_loop(loop, schedule, chunk, number, size)) {
    fail_unsupported("a static loop of an unknown schedule", loc);
  }
  *lower = loop.lower;
  *upper = loop.upper;
  *stride = loop.stride;
  if (last != nullptr) *last = loop.last ? 1 : 0;
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
    if (divide_here(loc, schedule, last, lower, upper, stride, increment, chunk)) return;   \
    real().__kmpc_for_static_init_##suffix(loc, gtid, schedule, last, lower, upper, stride, \
                                           increment, chunk);                               \
  }
WEFT_STATIC_INIT(4, std::int32_t, std::int32_t)
WEFT_STATIC_INIT(4u, std::uint32_t, std::int32_t)
WEFT_STATIC_INIT(8, std::int64_t, std::int64_t)
WEFT_STATIC_INIT(8u, std::uint64_t, std::int64_t)

WEFT_ENTRY void __kmpc_for_static_fini(Ident* loc, std::int32_t gtid) {
  if (current_member() == nullptr && !in_league_of_one()) real().__kmpc_for_static_fini(loc, gtid);
}
