// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "openmp/placement/spread_choice.hpp"

#include <algorithm>
#include <numeric>

namespace weft::openmp {
namespace {

using Time = SpreadChoice::Time;

// What libomp takes to begin and end a region: with a processor for each thread, and for each
// thread where they take turns on fewer (docs/internals/placement.md).
constexpr double kRegionWithAll = 1'000, kRegionPerThread = 1'600;

// Older instances count less, as a program's work changes. Of short ones many count: one that was
// interrupted for a time slice must not outweigh the others.
constexpr double kInstancesThatCount = 16, kTimeThatCounts = 50'000'000;

// Before a trial because most of what runs is new, and so never ran on all nodes.
constexpr Time kEarlyPause = 100'000'000, kEarlyPausePerLoss = 10;

std::size_t index(Placement placement) { return static_cast<std::size_t>(placement); }

}  // namespace

void SpreadChoice::Cost::add(Time took) {
  ++instances;
  const double most = std::max(kInstancesThatCount, kTimeThatCounts / std::max(mean, 1.0));
  mean += (static_cast<double>(took) - mean) / std::min<double>(instances, most);
}

SpreadChoice::Decision SpreadChoice::begin(Place place, Time now, Time away) {
  if (!is_started_) {
    is_started_ = true;
    trials_from_ = now + kFirstPause;
    begin_window(now, kShortestWindow);
  }
  end_serial_part(now, away);
  if (trial_) {
    end_trial_if_due(now);
  } else {
    judge_window_if_due(now);
  }
  Record& record = records_[place];
  if (record.placement != present()) {
    record.placement = present();
    record.settling = kSettlingInstances;
    record.settling_time = 0;
  }
  last_place_ = place;
  last_begin_ = now;
  window_.may_end = may_end_window(record, now);
  if (window_.may_end) window_.reports_asked_for += surroundings_.nodes - 1;
  return {.placement = present(), .window = window_.number, .asks_for_times = window_.may_end};
}

// As far as one can tell: a region that has never run may take long.
bool SpreadChoice::may_end_window(const Record& record, Time now) const {
  if (trial_ || mode_ != Placement::kSpread || window_.is_closed) return false;
  return record.last_took == 0 || now - window_.begin + record.last_took >= window_.length;
}

void SpreadChoice::end(Time now, Time away, Time computed) {
  has_last_ = true;
  last_end_ = now;
  away_at_end_ = away;
  records_[last_place_].last_took = std::max<Time>(1, now - last_begin_);
  if (trial_ || window_.is_closed) return;
  ++window_.regions;
  window_.of_nodes[0] += computed;
  window_.end = now;
  window_.is_closed = window_.may_end && now - window_.begin >= window_.length;
}

void SpreadChoice::add_report(unsigned node, std::uint32_t window, Time computed) {
  if (window != window_.number) return;
  window_.of_nodes.at(node) += computed;
  ++window_.reports;
}

void SpreadChoice::end_serial_part(Time now, Time away) {
  if (!has_last_) return;
  has_last_ = false;
  if (!trial_ && !window_.is_closed) {
    window_.serial += std::max<Time>(0, now - last_end_ - (away - away_at_end_));
    window_.end = now;
  }
  record_instance(records_[last_place_], now - last_begin_);
}

void SpreadChoice::record_instance(Record& record, Time took) {
  std::vector<Place>& places = trial_ ? trial_->places : window_.places;
  if (record.instances == 0) places.push_back(last_place_);
  ++record.instances;
  if (record.settling > 0) {
    --record.settling;
    record.settling_time += took;
    if (record.settling_time >= kSettlingTime) record.settling = 0;
    return;
  }
  record.cost[index(record.placement)].add(took);
  if (!trial_) return;
  ++record.trial_instances;
  record.trial_cost += static_cast<double>(took);
}

void SpreadChoice::forget_instances(const std::vector<Place>& places) {
  for (const Place place : places) {
    Record& record = records_[place];
    record.instances = record.trial_instances = 0;
    record.trial_cost = 0;
  }
}

void SpreadChoice::begin_window(Time now, Time length) {
  forget_instances(window_.places);
  const std::uint32_t number = window_.number + 1;
  window_ = {};
  window_.number = number;
  window_.begin = window_.end = now;
  window_.length = length;
  window_.of_nodes.assign(surroundings_.nodes, 0);
}

void SpreadChoice::judge_window_if_due(Time now) {
  if (mode_ == Placement::kSpread) {
    if (window_.is_closed && window_.reports >= window_.reports_asked_for) judge_spread(now);
  } else if (window_.regions > 0 && now - window_.begin >= window_.length) {
    judge_inside(now);
  }
}

double SpreadChoice::estimate_inside() const {
  const auto threads = static_cast<double>(surroundings_.threads());
  const double at_once = std::min<double>(surroundings_.processors, threads);
  const std::vector<Time>& computed = window_.of_nodes;
  const auto all = static_cast<double>(std::accumulate(computed.begin(), computed.end(), Time{0}));
  // A node's threads, as even as they can have been.
  const double longest =
      static_cast<double>(std::ranges::max(computed)) / surroundings_.threads_per_node;
  const double each = surroundings_.has_all() ? kRegionWithAll : kRegionPerThread * threads;
  return static_cast<double>(window_.serial) + std::max(all / at_once, longest) +
         each * window_.regions;
}

void SpreadChoice::judge_spread(Time now) {
  const auto took = static_cast<double>(window_.end - window_.begin);
  const double promised = estimate_inside();
  const bool agrees = promised < kWorthwhile * took;
  agreeing_ = agrees ? agreeing_ + 1 : 0;
  const bool is_obvious = promised < kObvious * took && took >= kObviousWindow;
  const bool is_clear = agreeing_ >= kWindowsToMove || is_obvious;
  if (is_clear && now >= moves_from_) return move(Placement::kInside, now);
  // With all its processors, a node is at least worth a try.
  if (!agrees && surroundings_.has_all() && now >= trials_from_) return begin_trial(now);
  begin_window(now, agrees ? kShortestWindow : std::min(2 * window_.length, kLongestWindow));
}

void SpreadChoice::judge_inside(Time now) {
  const Compared compared = compare_window();
  const bool agrees = compared.spread < kWorthwhile * compared.inside;
  agreeing_ = agrees ? agreeing_ + 1 : 0;
  if (agreeing_ >= kWindowsToMove) {
    ++counts_.returns;
    pause(now, compared.inside - compared.spread);
    return move(Placement::kSpread, now);
  }
  const bool is_unknown = compared.unknown > compared.inside && now >= early_from_;
  if (!surroundings_.has_all() && (now >= trials_from_ || is_unknown)) return begin_trial(now);
  begin_window(now, agrees ? kShortestWindow : std::min(2 * window_.length, kLongestWindow));
}

SpreadChoice::Compared SpreadChoice::compare_window() {
  Compared sum;
  for (const Place place : window_.places) {
    const Record& record = records_[place];
    const Cost& spread = record.cost[index(Placement::kSpread)];
    const Cost& inside = record.cost[index(Placement::kInside)];
    if (inside.instances == 0) continue;
    if (spread.instances == 0) {
      sum.unknown += record.instances * inside.mean;
    } else {
      sum.spread += record.instances * spread.mean;
      sum.inside += record.instances * inside.mean;
    }
  }
  return sum;
}

void SpreadChoice::move(Placement to, Time now) {
  mode_ = to;
  agreeing_ = 0;
  ++counts_.moves;
  trials_from_ = std::max(trials_from_, now + kFirstPause);
  begin_window(now, kShortestWindow);
}

void SpreadChoice::begin_trial(Time now) {
  begin_window(now, kShortestWindow);
  trial_.emplace();
  trial_->begin = now;
  ++counts_.trials;
}

void SpreadChoice::end_trial_if_due(Time now) {
  unsigned all = 0, counted = 0;
  double here = 0, there = 0, instead = 0;
  for (const Place place : trial_->places) {
    const Record& record = records_[place];
    const Cost& usual = record.cost[index(mode_)];
    all += record.instances;
    instead += record.instances * usual.mean;
    if (usual.instances == 0) continue;
    counted += record.trial_instances;
    here += record.trial_instances * usual.mean;
    there += record.trial_cost;
  }
  const Time took = now - trial_->begin;
  const bool is_clear = took >= kShortestTrial && counted >= kTrialInstances;
  if (!is_clear && (took < kLongestTrial || all < 2)) return;
  forget_instances(trial_->places);
  trial_.reset();
  if (counted > 0 && there < kWorthwhile * here) {
    pause_ = kFirstPause;
    return move(mode_ == Placement::kSpread ? Placement::kInside : Placement::kSpread, now);
  }
  pause(now, static_cast<double>(took) - instead);
  agreeing_ = 0;
  begin_window(now, kShortestWindow);
}

void SpreadChoice::pause(Time now, double loss) {
  const Time lost = std::max<Time>(0, static_cast<Time>(loss));
  moves_from_ = trials_from_ = now + std::max(pause_, kPausePerLoss * lost);
  early_from_ = now + kEarlyPause + kEarlyPausePerLoss * lost;
  pause_ = std::min(2 * pause_, kLongestPause);
}

}  // namespace weft::openmp
