// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "openmp/team.hpp"

#include <atomic>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/held_signals.hpp"
#include "openmp/cancellation.hpp"
#include "openmp/implied_flush.hpp"
#include "openmp/tasks/runtime.hpp"
#include "runtime/interface/rest_hook.hpp"

namespace weft::openmp {
namespace {

thread_local Member* member = nullptr;
std::atomic<Team*> team{nullptr};

// At the region's end no thread goes on in the program, so the node need not wait for the others:
// the next region begins when all have arrived at this one's end. What tools are told then is
// theirs to say, and their callbacks are the program's.
void leave_region(Team& t, BarrierInput input) {
  if (t.self() == 0 || tools::watched()) return pass_barrier(t, std::move(input));
  input.votes |= cancellation_votes(t);
  t.node->arrive(std::move(input));
  t.local_barrier.release(LocalBarrier::Verdict::kPass);
}

}  // namespace

Member* current_member() { return member; }
void set_current_member(Member* m) { member = m; }

Team* present_team() { return team.load(std::memory_order_relaxed); }
void set_present_team(Team* t) { team.store(t, std::memory_order_relaxed); }

LoopTable& loop_table() {
  static LoopTable table(this_node()->self().value());
  return table;
}

bool arrive_with_tasks_done(Member& m, Ident* loc, std::int32_t gtid) {
  const IntervalKey place = interval_key(m.team->microtask, m.site != nullptr ? m.site : loc);
  m.may_be_in_single = false;
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
  tasks::task_runtime()->pass_barrier();
  t.local_barrier.release(LocalBarrier::Verdict::kPass);
}

void team_barrier(Member& m, Ident* loc, std::int32_t gtid) {
  const tools::Waiting waiting(m, tools::barrier_kind(loc));
  if (arrive_with_tasks_done(m, loc, gtid)) {
    // Without a call site (a reduction's barrier, say) the construct must do.
    const void* site = m.site != nullptr ? m.site : loc;
    BarrierInput input;
    input.next = interval_key(m.team->microtask, site);
    pass_barrier(*m.team, std::move(input));
  }
  deliver_waiting_signals();
}

void join_barrier(Member& m, Ident* loc, std::int32_t gtid) {
  tools::begin_join(m);
  if (!m.joined && arrive_with_tasks_done(m, loc, gtid)) {
    BarrierInput input = end_of_region();
    input.next = interval_after(m.team->microtask);
    leave_region(*m.team, std::move(input));
  }
  tools::end_join(m);
}

void attend_barriers(Node& node) {
  BarrierInput input;
  input.precedes_publication = true;  // any may: nobody goes on here
  while ((node.barrier_with(input) & kRegionEnds) == 0) come_to_rest();
}

IntervalKey interval_key(Microtask microtask, const void* site) {
  constexpr std::uint64_t kMultiplier = 0x9e3779b97f4a7c15U;
  const auto region = reinterpret_cast<std::uintptr_t>(microtask) * kMultiplier;
  return IntervalKey((region ^ (region >> 32)) + reinterpret_cast<std::uintptr_t>(site));
}

// No barrier is called from the microtask's own address.
IntervalKey interval_after(Microtask microtask) {
  return interval_key(microtask, reinterpret_cast<const void*>(microtask));
}

void flush_output() { std::fflush(stdout); }

std::string place_of(const Ident* loc) {
  if (loc == nullptr || loc->text == nullptr) return {};
  // ";file;function;line;column;;"
  std::string_view text = loc->text;
  std::string_view fields[3];
  for (std::string_view& field : fields) {
    if (text.empty() || text.front() != ';') return {};
    text.remove_prefix(1);
    const std::size_t end = text.find(';');
    if (end == std::string_view::npos) return {};
    field = text.substr(0, end);
    text.remove_prefix(end);
  }
  if (fields[0] == "unknown") return {};
  return std::string(fields[0]) + ":" + std::string(fields[2]);
}

}  // namespace weft::openmp
