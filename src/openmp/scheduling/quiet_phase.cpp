// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "openmp/scheduling/quiet_phase.hpp"

#include <algorithm>

#include "base/assert.hpp"

namespace weft::openmp::tasks {

void QuietPhase::begin_region(unsigned nodes, std::uint64_t interval) {
  WEFT_ASSERT(interval > interval_ && stage_ != Stage::kQuietPhase, "interval {} after {}",
              interval, interval_);
  stage_ = Stage::kWorking;
  nodes_ = nodes;
  interval_ = interval;
  used_ = asked_ = reported_ = false;
}

bool QuietPhase::expects_tasks(std::uintptr_t place) const {
  if (told_ == interval_) return true;
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
  ++interval_;
  counts_.erase(counts_.begin(), counts_.lower_bound(interval_));
}

void QuietPhase::on_used(std::uint64_t interval) {
  if (interval < interval_) return;
  told_ = std::max(told_, interval);
  if (interval != interval_ || stage_ != Stage::kBarrier || reported_) return;
  note_visit(true);
  report_quiet();
}

void QuietPhase::on_quiet(NodeId from, std::uint64_t interval, bool used) {
  if (interval < interval_) return;
  // Somebody has a quiet phase: all must, this node too, whether it is yet to come or in the
  // barrier.
  told_ = std::max(told_, interval);
  if (interval == interval_ && stage_ == Stage::kBarrier && !reported_) {
    tell_used();
    note_visit(true);
  }
  Count& count = counts_[interval];
  count.quiet.resize(std::max<std::size_t>(count.quiet.size(), from.value() + 1U));
  if (count.quiet[from.value()]) return;
  count.quiet[from.value()] = true;
  count.used |= used;
  ++count.nodes;
  if (interval == interval_ && stage_ == Stage::kBarrier && !reported_) report_quiet();
  // Which barrier it is only tells how many nodes there are once this node has come to it.
  const auto complete = counts_.find(interval_);
  if (complete == counts_.end() || complete->second.nodes < nodes_ || !reported_) return;
  const bool any_used = complete->second.used;
  counts_.erase(complete);
  for (NodeId node(1); node.value() < nodes_; ++node)
    send(node, MessageKind::kGo, interval_, any_used);
  on_go(interval_, any_used);
}

void QuietPhase::on_go(std::uint64_t interval, bool used) {
  if (interval != interval_ || stage_ != Stage::kQuietPhase) return;
  note_visit(used);
  stage_ = Stage::kBarrier;
}

void QuietPhase::send(NodeId to, MessageKind kind, std::uint64_t interval, bool flag) {
  outgoing_.push_back({to, kind, SchedulerNotice{interval, flag}});
}

void QuietPhase::tell_used() {
  told_ = interval_;
  for (NodeId node; node.value() < nodes_; ++node) {
    if (node != self_) send(node, MessageKind::kUsed, interval_);
  }
}

void QuietPhase::report_quiet() {
  if (reported_) return;
  reported_ = true;
  if (self_ != NodeId(0)) return send(NodeId(0), MessageKind::kQuiet, interval_, used_);
  // Whoever is missing may be in the job's barrier, without a quiet phase: it must say that it is
  // quiet, too.
  const Count& count = counts_[interval_];
  for (NodeId node(1); node.value() < nodes_; ++node) {
    const bool is_quiet = node.value() < count.quiet.size() && count.quiet[node.value()];
    if (!is_quiet && stage_ == Stage::kQuietPhase) send(node, MessageKind::kUsed, interval_);
  }
  on_quiet(NodeId(0), interval_, used_);
}

void QuietPhase::note_visit(bool used) {
  std::uint8_t& visits = idle_visits_.try_emplace(place_, 0).first->second;
  visits = used ? std::uint8_t{0} : std::min<std::uint8_t>(kIdleVisits, visits + 1);
}

}  // namespace weft::openmp::tasks
