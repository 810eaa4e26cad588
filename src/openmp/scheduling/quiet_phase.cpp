// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "openmp/scheduling/quiet_phase.hpp"

#include <algorithm>

#include "base/assert.hpp"

namespace weft::openmp::tasks {

void QuietPhase::begin_region(unsigned nodes, std::uint64_t barrier) {
  WEFT_ASSERT(barrier > coming_barrier_ && stage_ != Stage::kQuietPhase, "barrier {} after {}",
              barrier, coming_barrier_);
  stage_ = Stage::kWorking;
  nodes_ = nodes;
  coming_barrier_ = barrier;
  used_ = asked_ = reported_ = false;
}

bool QuietPhase::expects_tasks(std::uintptr_t place) const {
  if (told_ == coming_barrier_) return true;
  const auto visits = idle_visits_.find(place);
  return visits == idle_visits_.end() ? expect_tasks_ : visits->second < kIdleVisits;
}

bool QuietPhase::arrive(std::uintptr_t place) {
  // It may have arrived already, to do something before it enters (node 0, in a reduction).
  if (stage_ == Stage::kBarrier) return false;
  place_ = place;
  const bool expected = expects_tasks(place);
  const bool involved = used_ || asked_;
  if (!expected && involved) tell_used();
  stage_ = expected || involved ? Stage::kQuietPhase : Stage::kBarrier;
  return stage_ == Stage::kQuietPhase;
}

void QuietPhase::quiet() {
  WEFT_ASSERT(stage_ == Stage::kQuietPhase, "quiet outside of a quiet phase");
  report_quiet();
}

void QuietPhase::pass() {
  WEFT_ASSERT(stage_ == Stage::kBarrier, "passed a barrier without leave");
  stage_ = Stage::kWorking;
  used_ = asked_ = reported_ = false;
  ++coming_barrier_;
  counts_.erase(counts_.begin(), counts_.lower_bound(coming_barrier_));
}

void QuietPhase::on_used(std::uint64_t barrier) {
  if (barrier < coming_barrier_) return;
  told_ = std::max(told_, barrier);
  if (barrier != coming_barrier_ || stage_ != Stage::kBarrier || reported_) return;
  note_visit(true);
  report_quiet();
}

void QuietPhase::on_quiet(NodeId from, std::uint64_t barrier, bool used) {
  if (barrier < coming_barrier_) return;
  // Somebody has a quiet phase: all must, this node too, whether it is yet to come or in the
  // barrier.
  told_ = std::max(told_, barrier);
  if (barrier == coming_barrier_ && stage_ == Stage::kBarrier && !reported_) {
    tell_used();
    note_visit(true);
  }
  Count& count = counts_[barrier];
  count.quiet.resize(std::max<std::size_t>(count.quiet.size(), from.value() + 1U));
  if (count.quiet[from.value()]) return;
  count.quiet[from.value()] = true;
  count.used |= used;
  ++count.nodes;
  if (barrier == coming_barrier_ && stage_ == Stage::kBarrier && !reported_) report_quiet();
  // Which barrier it is only tells how many nodes there are once this node has come to it.
  const auto complete = counts_.find(coming_barrier_);
  if (complete == counts_.end() || complete->second.nodes < nodes_ || !reported_) return;
  const bool any_used = complete->second.used;
  counts_.erase(complete);
  for (NodeId node(1); node.value() < nodes_; ++node)
    send(node, MessageKind::kGo, coming_barrier_, any_used);
  on_go(coming_barrier_, any_used);
}

void QuietPhase::on_go(std::uint64_t barrier, bool used) {
  if (barrier != coming_barrier_ || stage_ != Stage::kQuietPhase) return;
  note_visit(used);
  stage_ = Stage::kBarrier;
}

void QuietPhase::send(NodeId to, MessageKind kind, std::uint64_t barrier, bool flag) {
  outgoing_.push_back({to, kind, SchedulerNotice{barrier, flag}});
}

void QuietPhase::tell_used() {
  told_ = coming_barrier_;
  for (NodeId node; node.value() < nodes_; ++node) {
    if (node != self_) send(node, MessageKind::kUsed, coming_barrier_);
  }
}

void QuietPhase::report_quiet() {
  if (reported_) return;
  reported_ = true;
  if (self_ != NodeId(0)) return send(NodeId(0), MessageKind::kQuiet, coming_barrier_, used_);
  // Whoever is missing may be in the job's barrier, without a quiet phase: it must say that it is
  // quiet, too.
  const Count& count = counts_[coming_barrier_];
  for (NodeId node(1); node.value() < nodes_; ++node) {
    const bool is_quiet = node.value() < count.quiet.size() && count.quiet[node.value()];
    if (!is_quiet && stage_ == Stage::kQuietPhase) send(node, MessageKind::kUsed, coming_barrier_);
  }
  on_quiet(NodeId(0), coming_barrier_, used_);
}

void QuietPhase::note_visit(bool used) {
  std::uint8_t& visits = idle_visits_.try_emplace(place_, 0).first->second;
  visits = used ? std::uint8_t{0} : std::min<std::uint8_t>(kIdleVisits, visits + 1);
}

}  // namespace weft::openmp::tasks
