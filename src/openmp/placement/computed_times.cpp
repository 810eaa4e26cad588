// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "openmp/placement/computed_times.hpp"

#include <algorithm>
#include <atomic>
#include <deque>
#include <mutex>
#include <utility>

#include "base/futex.hpp"
#include "base/signal_safe_mutex.hpp"
#include "runtime/board/program_time.hpp"
#include "runtime/interface/processor_time.hpp"

namespace weft::openmp {
namespace {

std::atomic<std::int64_t> computed_ns{0};
std::atomic<bool> counts_processor_time{false};
std::uint32_t counted_window = 0;

SignalSafeMutex lock;
std::deque<TimesReport> reports;

}  // namespace

Computing::Computing() {
  if (!board::is_time_measured()) return;
  begin_ns_ = now_ns();
  away_ns_ = board::away_ns();
  if (counts_processor_time.load(std::memory_order_relaxed)) processor_ns_ = processor_ns();
}

Computing::~Computing() {
  if (begin_ns_ == 0) return;
  std::int64_t computed = now_ns() - begin_ns_ - (board::away_ns() - away_ns_);
  if (processor_ns_ != 0) computed = std::min(computed, processor_ns() - processor_ns_);
  computed_ns.fetch_add(std::max<std::int64_t>(0, computed), std::memory_order_relaxed);
}

std::int64_t take_computed_ns() { return computed_ns.exchange(0, std::memory_order_relaxed); }

void count_processor_time() { counts_processor_time.store(true, std::memory_order_relaxed); }

void begin_counting(const TimesWanted& wanted) {
  if (std::exchange(counted_window, wanted.window) != wanted.window) (void)take_computed_ns();
}

void report_times(Node& node, const TimesWanted& wanted) {
  if (!wanted.at_end) return;
  const TimesReport report{
      .node = node.self(), .window = wanted.window, .computed_ns = take_computed_ns()};
  node.notify(NodeId(0), Service::kTimes, to_bytes(report));
}

void serve_times(Node& node) {
  node.serve(Service::kTimes, [](NodeId from, ByteView request) {
    const std::lock_guard guard(lock);
    reports.push_back(value_of<TimesReport>(request));
    reports.back().node = from;
    return Bytes();
  });
}

bool take_report(TimesReport& report) {
  const std::lock_guard guard(lock);
  if (reports.empty()) return false;
  report = reports.front();
  reports.pop_front();
  return true;
}

}  // namespace weft::openmp
