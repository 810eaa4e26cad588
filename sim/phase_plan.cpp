// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/phase_plan.hpp"

#include <algorithm>

namespace weft::sim {
namespace {

// How often each kind of use is chosen, in this seed: runs differ in what they stress.
struct Weights {
  unsigned special, guarded, pool, sequenced, read_only;
};

template <typename Element>
void shuffle(Random& random, std::vector<Element>& elements) {
  for (std::size_t left = elements.size(); left > 1; --left) {
    std::swap(elements[left - 1], elements[random.below(left)]);
  }
}

class PhaseMaker {
 public:
  PhaseMaker(Random& random, const Plan& plan, const Weights& weights, unsigned most_steps)
      : random_(random), plan_(plan), weights_(weights), most_steps_(most_steps) {}

  Phase make(bool serial);

 private:
  ThreadIndex any_thread() { return static_cast<ThreadIndex>(random_.below(plan_.team_size())); }
  void assign(CellIndex cell, Role role, std::uint64_t group, ThreadIndex owner = 0) {
    phase_.cells[cell] = {role, owner, static_cast<std::uint32_t>(group)};
  }
  void give_to(CellIndex cell, ThreadIndex owner) {
    assign(cell, Role::kOwned, 0, owner);
    phase_.owned[owner].push_back(cell);
  }
  bool take(CellIndex& cell) {
    if (left_.empty()) return false;
    cell = left_.back();
    left_.pop_back();
    return true;
  }
  void place(CellIndex cell);
  void place_special(CellIndex cell);
  void place_flag(CellIndex cell);
  void place_spin(CellIndex cell);
  void place_arrive(CellIndex cell);
  void order_items();

  Random& random_;
  const Plan& plan_;
  const Weights& weights_;
  const unsigned most_steps_;
  Phase phase_;
  std::vector<CellIndex> left_;
};

Phase PhaseMaker::make(bool serial) {
  phase_ = Phase();
  phase_.serial = serial;
  phase_.steps = static_cast<unsigned>(random_.chance(15) ? 0 : random_.below(most_steps_));
  phase_.cells.resize(plan_.cells.size());
  phase_.owned.resize(plan_.team_size());
  phase_.items.resize(plan_.team_size());
  phase_.locks.resize(plan_.locks.size());
  for (CellIndex cell = 0; cell < plan_.cells.size(); ++cell) {
    if (plan_.is_outside(cell)) continue;
    if (serial) give_to(cell, 0);
    if (!serial) left_.push_back(cell);
  }
  if (serial) return std::move(phase_);
  phase_.sequencers.resize(plan_.sequencers.size());
  for (SequencerUse& use : phase_.sequencers) {
    use.by_posts = random_.chance(50);
    const std::uint64_t turns = random_.below(8);
    for (std::uint64_t turn = 0; turn < turns; ++turn) use.turns.push_back(any_thread());
  }
  shuffle(random_, left_);
  CellIndex cell = 0;
  while (take(cell)) place(cell);
  order_items();
  return std::move(phase_);
}

void PhaseMaker::place(CellIndex cell) {
  std::uint64_t dice = random_.below(100);
  const auto falls_on = [&dice](unsigned weight) {
    if (dice < weight) return true;
    dice -= weight;
    return false;
  };
  if (falls_on(weights_.special)) return place_special(cell);
  if (falls_on(weights_.guarded)) {
    const std::uint64_t lock = random_.below(plan_.locks.size());
    phase_.locks[lock].guarded.push_back(cell);
    return assign(cell, Role::kGuarded, lock);
  }
  if (falls_on(weights_.pool)) {
    const std::uint64_t lock = random_.below(plan_.locks.size());
    phase_.locks[lock].pool.push_back(cell);
    return assign(cell, Role::kPool, lock);
  }
  if (falls_on(weights_.sequenced)) {
    const std::uint64_t sequencer = random_.below(plan_.sequencers.size());
    phase_.sequencers[sequencer].cells.push_back(cell);
    return assign(cell, Role::kSequenced, sequencer);
  }
  if (falls_on(weights_.read_only)) {
    phase_.read_only.push_back(cell);
    return assign(cell, Role::kReadOnly, 0);
  }
  give_to(cell, any_thread());
}

void PhaseMaker::place_special(CellIndex cell) {
  // The values of these must not wrap around.
  if (!plan_.cells[cell].aligned || plan_.cells[cell].size < 4) return give_to(cell, any_thread());
  switch (random_.below(4)) {
    case 0:
      return place_flag(cell);
    case 1:
      return place_spin(cell);
    case 2:
      return place_arrive(cell);
    default:
      phase_.counters.push_back(cell);
      return assign(cell, Role::kCounter, 0);
  }
}

void PhaseMaker::place_flag(CellIndex cell) {
  FlagUse use;
  use.flag = cell;
  use.is_counted = cell % 2 == 0;
  use.writer = any_thread();
  const std::size_t group = phase_.flags.size();
  assign(cell, Role::kFlag, group);
  const std::uint64_t stages = 1 + random_.below(3);
  for (std::uint64_t stage = 0; stage < stages; ++stage) {
    std::vector<CellIndex> data;
    const std::uint64_t wanted = random_.below(3);
    CellIndex next = 0;
    while (data.size() < wanted && take(next)) {
      assign(next, Role::kFlagData, group);
      data.push_back(next);
    }
    use.stages.push_back(data);
  }
  phase_.flags.push_back(use);
}

void PhaseMaker::place_spin(CellIndex cell) {
  SpinUse use;
  use.word = cell;
  assign(cell, Role::kSpin, phase_.spins.size());
  const std::uint64_t wanted = random_.below(4);
  CellIndex next = 0;
  while (use.cells.size() < wanted && take(next)) {
    assign(next, Role::kSpinGuarded, phase_.spins.size());
    use.cells.push_back(next);
  }
  phase_.spins.push_back(use);
}

void PhaseMaker::place_arrive(CellIndex cell) {
  ArriveUse use;
  use.counter = cell;
  assign(cell, Role::kArrive, phase_.arrivals.size());
  std::vector<ThreadIndex> threads;
  for (ThreadIndex thread = 0; thread < plan_.team_size(); ++thread) threads.push_back(thread);
  shuffle(random_, threads);
  threads.resize(std::min<std::size_t>(threads.size(), 1 + random_.below(4)));
  CellIndex next = 0;
  for (const ThreadIndex thread : threads) {
    if (!take(next)) break;
    assign(next, Role::kArriveData, phase_.arrivals.size(), thread);
    use.data.push_back(next);
    use.threads.push_back(thread);
  }
  phase_.arrivals.push_back(use);
}

// Each thread does its items in the order of one list for all: the first item of the list that is
// not done yet can always be done.
void PhaseMaker::order_items() {
  std::vector<std::uint32_t> next_turn(phase_.sequencers.size());
  std::vector<std::uint32_t> next_stage(phase_.flags.size());
  std::vector<std::pair<bool, std::uint32_t>> left;  // is it a flag, its group
  for (std::uint32_t group = 0; group < phase_.sequencers.size(); ++group) {
    left.insert(left.end(), phase_.sequencers[group].turns.size(), {false, group});
  }
  for (std::uint32_t group = 0; group < phase_.flags.size(); ++group) {
    left.insert(left.end(), phase_.flags[group].stages.size(), {true, group});
  }
  shuffle(random_, left);
  for (const auto& [is_flag, group] : left) {
    if (!is_flag) {
      const std::uint32_t turn = next_turn[group]++;
      const ThreadIndex thread = phase_.sequencers[group].turns[turn];
      phase_.items[thread].push_back({OrderedItem::Kind::kTurn, group, turn});
      continue;
    }
    const std::uint32_t stage = next_stage[group]++;
    const ThreadIndex writer = phase_.flags[group].writer;
    phase_.items[writer].push_back({OrderedItem::Kind::kFlagStore, group, stage});
    for (std::uint64_t readers = random_.below(3); readers > 0; --readers) {
      const ThreadIndex reader = any_thread();
      if (reader == writer) continue;
      phase_.items[reader].push_back({OrderedItem::Kind::kFlagWait, group, stage});
    }
  }
}

// Some locks are taken by one thread and held into the next phase, through the barrier.
void hold_locks_over(Random& random, Plan& plan) {
  for (std::size_t index = 0; index + 1 < plan.phases.size(); ++index) {
    Phase& phase = plan.phases[index];
    Phase& next = plan.phases[index + 1];
    if (phase.serial || next.serial) continue;
    for (std::size_t lock = 0; lock < phase.locks.size(); ++lock) {
      if (phase.locks[lock].held_at_start || !random.chance(15)) continue;
      phase.locks[lock].is_private = true;
      phase.locks[lock].holder = static_cast<ThreadIndex>(random.below(plan.team_size()));
      next.locks[lock].held_at_start = true;
      next.locks[lock].holder = phase.locks[lock].holder;
    }
  }
}

// Iterative programs: now and then the last few phases come again, several times over, and now and
// then once more after others.
class Repetition {
 public:
  Repetition(Random random, bool is_large)
      : random_(random), chance_(random_.chance(is_large ? 20 : 50) ? 35 : 0) {}

  void repeat(std::vector<Phase>& phases) {
    if (!random_.chance(chance_)) return;
    const std::size_t period = 1 + random_.below(std::min<std::size_t>(phases.size(), 3));
    // No two serial phases one after the other.
    const std::size_t first = phases.size() - period;
    if (phases[first].serial && phases.back().serial) return;
    for (std::uint64_t turns = 1 + random_.below(5); turns > 0; --turns) {
      for (std::size_t index = 0; index < period; ++index) phases.push_back(phases[first + index]);
    }
  }

 private:
  Random random_;
  unsigned chance_;
};

}  // namespace

void plan_phases(Random& random, Plan& plan) {
  const auto weight = [&random] { return static_cast<unsigned>(random.below(30)); };
  Weights weights{weight(), weight(), weight() / 2, weight() / 2, weight() / 2};
  if (plan.is_sparse) weights = {0, 20, 0, 0, 10};
  // A few phases of some length, or many short ones: homes move often then, and messages are
  // overtaken by whole epochs.
  const bool is_short = plan.is_sparse || random.chance(20);
  const std::uint64_t most_phases = plan.config.node_count == 64 ? 4 : is_short ? 25 : 8;
  const std::uint64_t count = 1 + random.below(most_phases);
  const unsigned serial_chance = random.chance(50) ? 40 : 0;
  // Apart from the rest, so that what is planned anew does not depend on it.
  Repetition repetition(random, plan.config.node_count == 64);
  plan.one_node_writes = Random(random).chance(plan.is_sparse ? 40 : 10);
  PhaseMaker maker(random, plan, weights, plan.is_sparse ? 8 : is_short ? 4 : 20);
  bool serial = random.chance(serial_chance);
  for (std::uint64_t index = 0; index < count; ++index) {
    plan.phases.push_back(maker.make(serial));
    plan.phases.back().key = IntervalKey(index + 1);
    serial = !serial && random.chance(serial_chance);
    repetition.repeat(plan.phases);
  }
  // The program ends with a barrier, so its last phase is a parallel one.
  if (plan.phases.back().serial) plan.phases.push_back(maker.make(false));
  std::vector<std::uint64_t> values(plan.sequencers.size());
  for (Phase& phase : plan.phases) {
    for (std::size_t index = 0; index < phase.sequencers.size(); ++index) {
      SequencerUse& use = phase.sequencers[index];
      use.first = values[index];
      if (!use.by_posts) values[index] += use.turns.size();
    }
  }
  hold_locks_over(random, plan);
}

}  // namespace weft::sim
