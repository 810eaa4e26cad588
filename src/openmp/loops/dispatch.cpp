// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops whose chunks are handed out while they run: dynamic, guided, runtime, auto, and every loop
// with `ordered`. The arithmetic is in loop_share, the bookkeeping in loop_table; here is what one
// thread sees. All of it runs on the runtime stack, as the table's locks must not be held over a
// page fault.
#include <type_traits>

#include "base/assert.hpp"
#include "openmp/loops/doacross.hpp"
#include "openmp/loops/loop_requests.hpp"
#include "openmp/schedules/loop_plan.hpp"
#include "openmp/schedules/static_schedule.hpp"
#include "openmp/team/implied_flush.hpp"
#include "openmp/team/synchronisation_ids.hpp"
#include "openmp/team/team.hpp"
#include "openmp/team/unsupported.hpp"
#include "openmp/tools/events.hpp"
#include "runtime/board/board.hpp"
#include "stacks/stacks.hpp"

namespace weft::openmp {
namespace {

void begin_static(LoopCursor& cursor, const LoopPlan& plan, const Member& member) {
  if (cursor.trip_count == 0) return;
  std::int32_t schedule = kStatic;
  if (plan.kind == LoopKind::kChunks) schedule = kStaticChunked;
  if (plan.kind == LoopKind::kRoundedBlocks) schedule = kStaticBalancedChunked;
  StaticLoop<std::uint64_t> part{.lower = 0, .upper = cursor.trip_count - 1, .increment = 1};
  const bool known = divide_static_loop(part, schedule, static_cast<std::int64_t>(plan.chunk),
                                        member.number, member.team->size);
  WEFT_ASSERT(known, "schedule {}", schedule);
  if (part.lower >= cursor.trip_count || part.upper < part.lower) return;
  cursor.next_chunk = IterationSpan{part.lower, part.upper + 1};
  cursor.stride = plan.kind == LoopKind::kChunks ? static_cast<std::uint64_t>(part.stride) : 0;
}

ompt_work_t work_of(const LoopPlan& plan) {
  if (plan.is_static()) return ompt_work_loop_static;
  return plan.kind == LoopKind::kGuided ? ompt_work_loop_guided : ompt_work_loop_dynamic;
}

// What tools know the turns of an ordered loop by: the loop's number in the team.
const void* turns_of(const LoopCursor& cursor) {
  return reinterpret_cast<const void*>(cursor.sequencer.value());
}

void begin_loop(Member& member, Ident* loc, std::int32_t schedule, std::int64_t chunk,
                std::uint64_t lower, std::int64_t increment, std::uint64_t trip_count) {
  RuntimeSchedule runtime;
  real().omp_get_schedule(&runtime.kind, &runtime.chunk);
  LoopPlan plan = plan_loop(schedule, chunk, runtime);
  if (plan.kind == LoopKind::kUnknown) fail_unsupported("a loop of an unknown schedule", loc);
  if (begins_doacross(member)) {
    plan.kind = plan.kind == LoopKind::kBlocks ? LoopKind::kBlocks : LoopKind::kChunks;
    note_doacross_schedule(member, plan.kind == LoopKind::kBlocks ? 0 : plan.chunk, trip_count);
  }
  const Team& team = *member.team;
  LoopCursor& cursor = member.cursor = LoopCursor{};
  cursor.active = true;
  cursor.lower = lower;
  cursor.increment = static_cast<std::uint64_t>(increment);
  cursor.trip_count = trip_count;
  cursor.ordered = plan.ordered;
  cursor.work = work_of(plan);
  tools::tell_work(member, cursor.work, ompt_scope_begin, trip_count);
  if (plan.ordered) {
    cursor.sequencer =
        sequencer_of(SequencerKind::kOrdered, instance_of(team.region, member.ordered_loops++));
  }
  if (plan.is_static()) return begin_static(cursor, plan, member);
  cursor.shape = LoopShape{.trip_count = trip_count,
                           .chunk = plan.chunk,
                           .guided = plan.kind == LoopKind::kGuided,
                           .monotonic = plan.monotonic,
                           .team_size = team.size,
                           .threads_per_node = team.threads_per_node};
  cursor.key = LoopKey::of(team.region, member.loops++);
  cursor.loop = loop_table().enter(cursor.key, cursor.shape);
}

IterationSpan next_static(LoopCursor& cursor) {
  IterationSpan chunk = cursor.next_chunk;
  if (chunk.end > cursor.trip_count) chunk.end = cursor.trip_count;
  // The distance may be as long as the loop, and the sum must not wrap to its beginning.
  if (cursor.stride == 0 || cursor.stride >= cursor.trip_count - cursor.next_chunk.begin) {
    cursor.next_chunk = IterationSpan{};
  } else {
    const std::uint64_t size = cursor.next_chunk.size();
    const std::uint64_t begin = cursor.next_chunk.begin + cursor.stride;
    cursor.next_chunk = IterationSpan{begin, begin + std::min(size, cursor.trip_count - begin)};
  }
  return chunk;
}

// The thread's next chunk; empty at the loop's end, which leaves the loop.
IterationSpan next_chunk(Member& member) {
  LoopCursor& cursor = member.cursor;
  if (!cursor.active) return {};
  IterationSpan chunk;
  if (cursor.loop == nullptr) {
    chunk = next_static(cursor);
  } else if (!cursor.had_last) {
    chunk = loop_table().next(*cursor.loop, [&](NodeId node) {
      return request_iterations(*member.team->node, node, cursor.key, cursor.shape);
    });
  }
  if (chunk.empty()) {
    if (cursor.loop != nullptr) loop_table().leave(cursor.key);
    cursor.active = false;
    tools::tell_work(member, cursor.work, ompt_scope_end, 0);
  } else {
    tools::tell_chunk(member, ompt_dispatch_ws_loop_chunk,
                      cursor.lower + chunk.begin * cursor.increment, chunk.size());
  }
  cursor.had_last = cursor.had_last || chunk.end == cursor.trip_count;
  cursor.chunk = chunk;
  cursor.iteration = chunk.begin;
  cursor.holds_turn = cursor.passed_turn = false;
  return chunk;
}

void wait_for_turn(Member& member) {
  LoopCursor& cursor = member.cursor;
  if (cursor.holds_turn) return;
  if (cursor.chunk.begin > 0) member.team->node->await(cursor.sequencer, cursor.chunk.begin);
  cursor.holds_turn = true;
}

// After the chunk's last iteration has had its turn.
void pass_turn(Member& member) {
  LoopCursor& cursor = member.cursor;
  if (cursor.passed_turn || cursor.iteration + 1 < cursor.chunk.end) return;
  wait_for_turn(member);
  if (cursor.chunk.end < cursor.trip_count) {
    member.team->node->advance(cursor.sequencer, cursor.chunk.end);
  }
  cursor.passed_turn = true;
}

// The end of one iteration of an ordered loop, whether it had an ordered region or not.
void end_iteration(Member& member) {
  LoopCursor& cursor = member.cursor;
  if (!cursor.ordered || cursor.chunk.empty()) return;
  pass_turn(member);
  ++cursor.iteration;
}

// A loop's lower bound, so that arithmetic modulo 2^64 gives right values in its own type.
template <typename T>
std::uint64_t widen(T value) {
  if constexpr (std::is_signed_v<T>) return static_cast<std::uint64_t>(std::int64_t{value});
  return value;
}

}  // namespace

void abandon_loop(Member& member) {
  LoopCursor& cursor = member.cursor;
  if (!cursor.active) return;
  if (cursor.loop != nullptr) loop_table().abandon(cursor.key);
  cursor.active = false;
  tools::tell_work(member, cursor.work, ompt_scope_end, 0);
}

}  // namespace weft::openmp

using namespace weft;
using namespace weft::openmp;

#define WEFT_DISPATCH(suffix, T, Signed)                                                          \
  WEFT_ENTRY void __kmpc_dispatch_init_##suffix(Ident* loc, std::int32_t gtid,                    \
                                                std::int32_t schedule, T lower, T upper,          \
                                                Signed increment, Signed chunk) {                 \
    WEFT_NOTE_CALL();                                                                             \
    Member* member = current_member();                                                            \
    if (member == nullptr) {                                                                      \
      return real().__kmpc_dispatch_init_##suffix(loc, gtid, schedule, lower, upper, increment,   \
                                                  chunk);                                         \
    }                                                                                             \
    on_runtime_stack([&] {                                                                        \
      begin_loop(*member, loc, schedule, chunk, widen(lower), increment,                          \
                 trip_count<T>(lower, upper, increment));                                         \
    });                                                                                           \
  }                                                                                               \
  WEFT_ENTRY int __kmpc_dispatch_next_##suffix(Ident* loc, std::int32_t gtid, std::int32_t* last, \
                                               T* lower, T* upper, Signed* stride) {              \
    WEFT_NOTE_CALL();                                                                             \
    Member* member = current_member();                                                            \
    if (member == nullptr) {                                                                      \
      return real().__kmpc_dispatch_next_##suffix(loc, gtid, last, lower, upper, stride);         \
    }                                                                                             \
    const IterationSpan chunk = on_runtime_stack([&] { return next_chunk(*member); });            \
    if (chunk.empty()) return 0;                                                                  \
    const LoopCursor& cursor = member->cursor;                                                    \
    *lower = static_cast<T>(cursor.lower + chunk.begin * cursor.increment);                       \
    *upper = static_cast<T>(cursor.lower + (chunk.end - 1) * cursor.increment);                   \
    if (stride != nullptr) *stride = static_cast<Signed>(cursor.increment);                       \
    if (last != nullptr) *last = cursor.had_last ? 1 : 0;                                         \
    return 1;                                                                                     \
  }                                                                                               \
  WEFT_ENTRY void __kmpc_dispatch_fini_##suffix(Ident* loc, std::int32_t gtid) {                  \
    Member* member = current_member();                                                            \
    if (member == nullptr) return real().__kmpc_dispatch_fini_##suffix(loc, gtid);                \
    on_runtime_stack([&] { end_iteration(*member); });                                            \
  }
WEFT_DISPATCH(4, std::int32_t, std::int32_t)
WEFT_DISPATCH(4u, std::uint32_t, std::int32_t)
WEFT_DISPATCH(8, std::int64_t, std::int64_t)
WEFT_DISPATCH(8u, std::uint64_t, std::int64_t)

WEFT_ENTRY void __kmpc_dispatch_deinit(Ident* loc, std::int32_t gtid) {
  if (current_member() == nullptr) real().__kmpc_dispatch_deinit(loc, gtid);
}

WEFT_ENTRY void __kmpc_ordered(Ident* loc, std::int32_t gtid) {
  WEFT_NOTE_CALL();
  imply_flush();
  Member* member = current_member();
  if (member == nullptr) return real().__kmpc_ordered(loc, gtid);
  const void* site = __builtin_return_address(0);
  on_runtime_stack([&] {
    const board::Purpose purpose(board::WaitKind::kOrdered, 0, text_of(loc), site);
    tools::Locking locking(ompt_mutex_ordered, turns_of(member->cursor));
    wait_for_turn(*member);
    locking.got();
  });
}

WEFT_ENTRY void __kmpc_end_ordered(Ident* loc, std::int32_t gtid) {
  WEFT_NOTE_CALL();
  imply_flush();
  Member* member = current_member();
  if (member == nullptr) return real().__kmpc_end_ordered(loc, gtid);
  on_runtime_stack([&] {
    pass_turn(*member);
    tools::tell_released(ompt_mutex_ordered, turns_of(member->cursor));
  });
}
