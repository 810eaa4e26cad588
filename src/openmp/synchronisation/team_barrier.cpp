// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "openmp/synchronisation/team_barrier.hpp"

#include <utility>

#include "base/held_signals.hpp"
#include "openmp/synchronisation/cancellation.hpp"
#include "openmp/tasking/runtime.hpp"
#include "openmp/team/implied_flush.hpp"
#include "openmp/tools/events.hpp"
#include "runtime/board/board.hpp"
#include "runtime/hints/hints.hpp"
#include "runtime/interface/call_sites.hpp"
#include "runtime/interface/rest_hook.hpp"

namespace weft::openmp {
namespace {

// At the region's end no thread goes on in the program, so the node need not wait for the others:
// the next region begins when all have arrived at this one's end. What tools are told then is
// theirs to say, and their callbacks are the program's.
void leave_region(Team& t, BarrierInput input) {
  if (t.self() == NodeId(0) || tools::watched()) return pass_barrier(t, std::move(input));
  input.votes |= cancellation_votes(t);
  t.node->arrive(std::move(input));
  t.local_barrier.release(LocalBarrier::Verdict::kPass);
}

void join(Member& m, Ident* loc, std::int32_t gtid) {
  if (!arrive_with_tasks_done(m, loc, gtid)) return;
  BarrierInput input = end_of_region();
  input.next = phase_after(m.team->microtask);
  leave_region(*m.team, std::move(input));
}

}  // namespace

bool arrive_with_tasks_done(Member& m, Ident* loc, std::int32_t gtid) {
  const PhaseKey place = phase_key(m.team->microtask, m.site != nullptr ? m.site : loc);
  m.may_be_in_single = false;
  leave_said_loop();
  imply_flush();
  tasks::TaskRuntime& runtime = *tasks::task_runtime();
  tasks::TaskRuntime::BarrierWork work(runtime, m, place.value());
  if (m.team->local_barrier.arrive(work) == LocalBarrier::Verdict::kPass) return false;
  runtime.settle_before_barrier(work);
  return true;
}

void pass_barrier(Team& t, BarrierInput input) {
  input.votes |= cancellation_votes(t);
  t.wrote_for_all.store(false, std::memory_order_relaxed);
  t.votes = t.node->barrier_with(std::move(input));
  if ((t.votes & 1U << kCancelParallel) != 0) t.cancelled = true;
  ++t.barriers;
  if ((t.votes & kRegionEnds) == 0) come_to_rest();  // else when the next region begins
  perform_hints(*t.node);
  tasks::task_runtime()->pass_barrier();
  t.local_barrier.release(LocalBarrier::Verdict::kPass);
}

void team_barrier(Member& m, Ident* loc, std::int32_t gtid) {
  const tools::Waiting waiting(m, tools::barrier_kind(loc));
  const board::Purpose purpose(board::WaitKind::kBarrier, 0, text_of(loc), m.site);
  if (arrive_with_tasks_done(m, loc, gtid)) {
    // Without a call site (a reduction's barrier, say) the construct must do.
    const void* site = m.site != nullptr ? m.site : loc;
    BarrierInput input;
    input.next = phase_key(m.team->microtask, site);
    pass_barrier(*m.team, std::move(input));
  }
  deliver_waiting_signals();
}

void join_barrier(Member& m, Ident* loc, std::int32_t gtid) {
  tools::begin_join(m);
  const board::Purpose purpose(board::WaitKind::kBarrier, 0);
  if (!m.joined) join(m, loc, gtid);
  tools::end_join(m);
}

void last_barrier(Member& m, Ident* loc, std::int32_t gtid) {
  const tools::Waiting waiting(m, tools::barrier_kind(loc));
  const board::Purpose purpose(board::WaitKind::kBarrier, 0, text_of(loc));
  join(m, loc, gtid);
  m.joined = true;
}

void attend_barriers(Node& node) {
  BarrierInput input;
  input.precedes_publication = true;  // any may: nobody goes on here
  while ((node.barrier_with(input) & kRegionEnds) == 0) come_to_rest();
}

}  // namespace weft::openmp
