// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/programs/phase_maker.hpp"

#include <algorithm>

namespace weft::sim {

void PhaseMaker::begin() {
  phase_ = Phase();
  phase_.cells.resize(plan_.cells.size());
  phase_.owned.resize(plan_.team_size());
  phase_.items.resize(plan_.team_size());
  phase_.locks.resize(plan_.locks.size());
  left_.clear();
}

Phase PhaseMaker::make(bool serial) {
  begin();
  phase_.serial = serial;
  page_seed_ = Random(random_).next();
  phase_.steps = static_cast<unsigned>(random_.chance(15) ? 0 : random_.below(most_steps_));
  for (CellIndex cell = 0; cell < plan_.cells.size(); ++cell) {
    if (plan_.is_outside(cell)) continue;
    if (serial) give_to(cell, 0);
    if (!serial && !belongs_to_a_page(cell)) decide_later(cell);
  }
  if (serial) return std::move(phase_);
  return finish();
}

// Some pages are one thread's altogether, or under one lock. By chance, few would be.
bool PhaseMaker::belongs_to_a_page(CellIndex cell) {
  if (!plan_.with_overwrites) return false;
  const auto [first, end] = plan_.cells_beside(cell);
  if (plan_.is_outside(first)) return false;
  // Apart: the same for all cells of the page.
  Random random(page_seed_ + first);
  const std::uint64_t dice = random.below(100);
  if (dice < 25) {
    give_to(cell, static_cast<ThreadIndex>(random.below(plan_.team_size())));
  } else if (dice < 40) {
    guard_by(cell, random.below(plan_.locks.size()));
  }
  return dice < 40;
}

Phase PhaseMaker::finish() {
  plan_turns();
  shuffle(random_, left_);
  CellIndex cell = 0;
  while (take(cell)) place(cell);
  order_items();
  return std::move(phase_);
}

void PhaseMaker::plan_turns() {
  phase_.sequencers.resize(plan_.sequencers.size());
  for (SequencerUse& use : phase_.sequencers) {
    use.by_posts = random_.chance(50);
    const std::uint64_t turns = random_.below(8);
    for (std::uint64_t turn = 0; turn < turns; ++turn) use.turns.push_back(any_thread());
  }
}

void PhaseMaker::place(CellIndex cell) {
  std::uint64_t dice = random_.below(100);
  const auto falls_on = [&dice](unsigned weight) {
    if (dice < weight) return true;
    dice -= weight;
    return false;
  };
  if (falls_on(weights_.special)) return place_special(cell);
  if (falls_on(weights_.guarded)) return guard_by(cell, random_.below(plan_.locks.size()));
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
  if (falls_on(weights_.read_only)) return let_all_read(cell);
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
      return let_all_count(cell);
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
  for (unsigned thread = 0; thread < plan_.team_size(); ++thread)
    threads.push_back(static_cast<ThreadIndex>(thread));
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

}  // namespace weft::sim
