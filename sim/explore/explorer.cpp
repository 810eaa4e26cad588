// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/explore/explorer.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <utility>

#include "sim/checkers/failure.hpp"
#include "sim/explore/warm_up.hpp"

namespace weft::sim::explore {
namespace {

// The message of the failure, if there is one, outlives the arena's state.
template <typename Call>
std::optional<std::string> failure_of(Call call) {
  try {
    call();
  } catch (const Failure& failure) {
    const Arena::Use outside(false);
    return std::string(failure.what());
  }
  return std::nullopt;
}

double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

}  // namespace

bool Explorer::is_late() const {
  return result_.steps >= deadline_.steps || processor_seconds() >= deadline_.seconds;
}

// Until a part of the budget is spent that is counted from `began_`.
void Explorer::allow(double share) {
  constexpr double kMost = 1e18;
  const double steps = std::min(share * static_cast<double>(budget_.steps), kMost);
  deadline_ = {began_.seconds + share * budget_.seconds,
               began_.steps + static_cast<std::uint64_t>(steps)};
}

void Explorer::spend(const Budget& budget) {
  budget_ = budget;
  began_ = {processor_seconds(), result_.steps};
  allow(1);
}

bool Explorer::begin(const std::string& warm) {
  warm_ = warm;
  path_.clear();
  Arena::reset();
  const Arena::Use inside(true);
  world_ = new World(program_);
#ifdef WEFT_DELIBERATE_BUGS
  // Outside the arena: a world would forget it when it goes back to a state before.
  world_->count_into(covered_);
#endif
  std::optional<std::string> failure = failure_of([&] { warm_up(*world_, program_, warm); });
  const Arena::Use outside(false);
  end_step_of_coverage(false);
  if (failure) note(std::move(*failure));
  return !failure;
}

// What is in the arena is forgotten as a whole.
void Explorer::end() { world_ = nullptr; }

void Explorer::note(std::string what) {
  Finding finding{std::move(what), {warm_, "prompt", {}}};
  if (auto* const world = world_) {
    for (std::size_t index = 0; index < path_.size(); ++index) {
      finding.way.others[index] = world->name(path_[index]);
    }
  }
  result_.finding = std::move(finding);
}

bool Explorer::step(Event event) {
  ++result_.steps;
  path_.push_back(event);
  std::optional<std::string> failure = failure_of([&] {
    const Arena::Use inside(true);
    world_->run(event);
  });
  end_step_of_coverage(false);
  if (failure) note(std::move(*failure));
  return !failure;
}

void Explorer::end_step_of_coverage([[maybe_unused]] bool at_end) {
#ifdef WEFT_DELIBERATE_BUGS
  world_->end_step_of_coverage(at_end);
#endif
}

bool Explorer::finish() {
  ++result_.ends;
  end_step_of_coverage(true);
  std::optional<std::string> failure = failure_of([&] { world_->check_end(); });
  if (failure) note(std::move(*failure));
  return !failure;
}

// From here, as long as there is one way to go that leads to a state not seen.
bool Explorer::go_on() {
  while (seen_.insert(world_->fingerprint()).second) {
    ++result_.states;
    world_->list_events(events_, program_.last_turn());
    result_.deepest = std::max(result_.deepest, path_.size());
    if (events_.empty()) return finish();
    const Event next = events_.back();
    events_.pop_back();
    if (!events_.empty()) branchings_.push_back({Arena::save(), events_, path_.size()});
    if (!step(next)) return false;
  }
  return true;
}

bool Explorer::search() {
  branchings_.clear();
  if (!go_on()) return false;
  while (!branchings_.empty() && !is_late()) {
    Branching& last = branchings_.back();
    Arena::restore(last.snapshot);
    path_.resize(last.depth);
    const Event next = last.left.back();
    last.left.pop_back();
    if (last.left.empty()) branchings_.pop_back();
    if (!step(next) || !go_on()) return false;
  }
  return true;
}

namespace {

// Two kinds of ways by chance, in turn. Each event as likely as the others; or each thread and
// channel with a rank of its own, which seldom changes, so that one may be late for long (after
// Burckhardt and others, "A randomized scheduler with probabilistic guarantees of finding bugs").
class Chance {
 public:
  Chance(Random& random, bool ranked) : random_(random), ranked_(ranked) {
    for (std::uint64_t& rank : ranks_) rank = random_.next();
  }

  Event choose(const std::vector<Event>& events) {
    if (!ranked_ || random_.chance(4)) return events[random_.below(events.size())];
    const auto first =
        std::ranges::max_element(events, {}, [this](Event event) { return rank_of(event); });
    const Event chosen = *first;
    if (random_.chance(4)) ranks_[without_race(chosen)] = random_.next();
    return chosen;
  }

 private:
  [[nodiscard]] std::uint64_t rank_of(Event event) const {
    return is_race(event) ? 0 : ranks_[without_race(event)];
  }

  Random& random_;
  bool ranked_;
  std::array<std::uint64_t, kFirstRace> ranks_{};
};

}  // namespace

bool Explorer::walk(Random& random) {
  Chance chance(random, ++result_.walks % 2 == 0);
  for (world_->list_events(events_, program_.last_turn()); !events_.empty();
       world_->list_events(events_, program_.last_turn())) {
    if (seen_.insert(world_->fingerprint()).second) ++result_.states;
    result_.deepest = std::max(result_.deepest, path_.size());
    if (!step(chance.choose(events_))) return false;
  }
  return finish();
}

// The first of the warm schedules has most to see: what follows it is seen already, mostly.
Exploration Explorer::explore(const Budget& budget) {
  constexpr double kForAll = 0.7;
  result_ = {};
  seen_.clear();
  spend(budget);
  const std::vector<std::string> warm = warm_schedules(program_);
  result_.whole = true;
  for (std::size_t index = 0; index < warm.size() && !result_.finding; ++index) {
    const double part = static_cast<double>(index + 1) / static_cast<double>(warm.size());
    allow(kForAll * (1 + part) / 2);
    result_.whole = begin(warm[index]) && search() && branchings_.empty() && result_.whole;
  }
  allow(1);
  if (!result_.whole && !result_.finding) walk_by_chance();
  branchings_.clear();
  end();
  result_.seconds = processor_seconds() - began_.seconds;
  return result_;
}

void Explorer::walk_by_chance() {
  constexpr unsigned kWalksFromOne = 100;
  const std::vector<std::string> warm = warm_schedules(program_);
  Random random(1);
  for (std::size_t turn = 0; !result_.finding && !is_late(); ++turn) {
    if (!begin(warm[turn % warm.size()])) return;
    const Arena::Snapshot start = Arena::save();
    for (unsigned left = kWalksFromOne; left > 0 && !is_late(); --left) {
      if (!walk(random)) return;
      Arena::restore(start);
      path_.clear();
    }
  }
}

}  // namespace weft::sim::explore
