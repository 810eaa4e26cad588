// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers and flush.
#include "base/compiler_abi.h"
#include "openmp/libomp/call_note.hpp"
#include "openmp/synchronisation/team_barrier.hpp"
#include "openmp/team/implied_flush.hpp"
#include "openmp/team/team.hpp"
#include "openmp/team/unsupported.hpp"
#include "openmp/tools/events.hpp"
#include "runtime/board/board.hpp"
#include "stacks/stacks.hpp"

using namespace weft;
using namespace weft::openmp;

namespace {

// `site`: where the program calls the barrier.
void barrier_at(const void* site, Member& member, Ident* loc, std::int32_t gtid) {
  member.site = site;
  team_barrier(member, loc, gtid);
  member.site = nullptr;
}

}  // namespace

WEFT_ENTRY void __kmpc_barrier(Ident* loc, std::int32_t gtid) {
  WEFT_NOTE_CALL();
  imply_flush();
  Member* member = current_member();
  const CallNote* note = note_of(loc);
  if (member != nullptr && note != nullptr && note->has(CallNote::kRedundant)) {
    const tools::Waiting waiting(*member, tools::barrier_kind(loc));
    return;
  }
  const void* site = __builtin_return_address(0);
  on_runtime_stack([&] {
    if (member != nullptr && note != nullptr && note->has(CallNote::kEndsRegion)) {
      last_barrier(*member, loc, gtid);
    } else if (member != nullptr) {
      barrier_at(site, *member, loc, gtid);
    } else {
      const board::Purpose purpose(board::WaitKind::kBarrier, 0, text_of(loc), site);
      const board::Waiting waiting(board::WaitKind::kBarrier);
      real().__kmpc_barrier(loc, gtid);
    }
  });
}

// Makes this thread's writes visible to whoever flushes later, and theirs to it. Behind a poll,
// those of threads that did not flush, too.
WEFT_ENTRY void __kmpc_flush(Ident* loc) {
  WEFT_NOTE_CALL();
  if (this_node() != nullptr) {
    tools::tell_flush();
    const CallNote* note = note_of(loc);
    const bool polled = note != nullptr && note->has(CallNote::kPolled);
    __weft_fence(polled ? WEFT_ORDER_POLLED : __ATOMIC_SEQ_CST);
  } else {
    real().__kmpc_flush(loc);
  }
}

// The halves of a split barrier; no compiler that Weft supports calls them.
WEFT_ENTRY std::int32_t __kmpc_barrier_master(Ident* loc, std::int32_t gtid) {
  if (current_member() != nullptr) fail_unsupported("a split barrier", loc);
  return real().__kmpc_barrier_master(loc, gtid);
}

WEFT_ENTRY std::int32_t __kmpc_barrier_master_nowait(Ident* loc, std::int32_t gtid) {
  if (current_member() != nullptr) fail_unsupported("a split barrier", loc);
  return real().__kmpc_barrier_master_nowait(loc, gtid);
}
