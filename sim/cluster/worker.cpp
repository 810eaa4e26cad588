// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/cluster/worker.hpp"

#include <algorithm>
#include <functional>

#include "sim/programs/phase_maker.hpp"

namespace weft::sim {
namespace {

using ActionKind = Action::Kind;

class Chooser {
 public:
  Chooser(const Plan& plan, Worker& worker)
      : plan_(plan),
        phase_(plan.phases[worker.phase]),
        worker_(worker),
        random_(phase_.habit == 0 ? worker.random : worker.habit) {}

  void choose();

 private:
  void add(ActionKind kind, std::uint64_t a = 0, std::uint64_t b = 0) {
    worker_.todo.push_back({kind, static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b)});
  }
  void commit(CellIndex cell) {
    Random& apart = worker_.commit_random;
    if (plan_.with_commits && apart.chance(25)) add(ActionKind::kCommit, cell, 1 + apart.below(4));
  }
  void access(CellIndex cell) {
    Random& apart = worker_.prefetch_random;
    if (plan_.with_prefetches && apart.chance(25))
      add(ActionKind::kPrefetch, cell, 3 + apart.below(12));
    if (plan_.with_hints && apart.chance(25)) add(ActionKind::kOwn, cell, 1 + apart.below(4));
    if (random_.chance(50)) add(ActionKind::kRead, cell);
    if (random_.chance(60) && !omits()) add(ActionKind::kWrite, cell);
    commit(cell);
    if (random_.chance(20)) add(ActionKind::kRead, cell);
  }
  // It finds that there is nothing to change.
  bool omits() { return plan_.omitted_writes > 0 && worker_.random.chance(plan_.omitted_writes); }
  void access_some(const std::vector<CellIndex>& cells) {
    if (cells.empty()) return;
    for (std::uint64_t left = 1 + random_.below(3); left > 0; --left) access(any(cells));
  }
  CellIndex any(const std::vector<CellIndex>& cells) { return cells[random_.below(cells.size())]; }

  void do_item(const OrderedItem& item);
  void do_turn(const OrderedItem& item);
  void end_phase();
  void use_owned();
  void peek();
  void read_along();
  void use_lock(std::uint64_t lock);
  void name_data(std::uint64_t lock);
  void inside_lock(std::uint64_t lock);
  bool add_sum(std::uint64_t lock);
  void use_spin(std::uint64_t group);
  void arrive();
  void do_as_ever();
  void use_own(CellIndex cell);
  [[nodiscard]] bool overwrites(const std::vector<CellIndex>& mine, CellIndex cell);
  void use_outside();

  const Plan& plan_;
  const Phase& phase_;
  Worker& worker_;
  Random& random_;
};

void Chooser::choose() {
  if (!worker_.held_over_released) {
    worker_.held_over_released = true;
    for (std::uint64_t lock = 0; lock < phase_.locks.size(); ++lock) {
      const LockUse& use = phase_.locks[lock];
      if (!use.held_at_start || use.holder != worker_.index) continue;
      inside_lock(lock);
      add(ActionKind::kRelease, lock);
    }
    if (!worker_.todo.empty()) return;
  }
  const std::vector<OrderedItem>& items = phase_.items[worker_.index];
  const bool items_left = worker_.items_done < items.size();
  if (items_left && (worker_.steps_left == 0 || random_.chance(40))) {
    return do_item(items[worker_.items_done++]);
  }
  if (worker_.steps_left == 0) return end_phase();
  --worker_.steps_left;
  if (phase_.habit != 0) return do_as_ever();
  if (plan_.with_peeks) peek();
  if (random_.chance(plan_.outside_percent)) return use_outside();
  switch (random_.below(8)) {
    case 0:
    case 1:
      return use_owned();
    case 2:
      return read_along();
    case 3:
    case 4:
      return use_lock(random_.below(phase_.locks.size()));
    case 5:
      if (!phase_.counters.empty()) add(ActionKind::kCount, any(phase_.counters));
      return;
    case 6:
      if (!phase_.spins.empty()) use_spin(random_.below(phase_.spins.size()));
      return;
    default:
      return arrive();
  }
}

void Chooser::do_item(const OrderedItem& item) {
  switch (item.kind) {
    case OrderedItem::Kind::kTurn:
      return do_turn(item);
    case OrderedItem::Kind::kFlagStore:
      for (const CellIndex cell : phase_.flags[item.group].stages[item.index]) {
        add(ActionKind::kWrite, cell);
      }
      return add(ActionKind::kFlagStore, item.group, item.index);
    case OrderedItem::Kind::kFlagWait:
      add(ActionKind::kFlagWait, item.group, item.index);
      for (std::uint32_t stage = 0; stage <= item.index; ++stage) {
        for (const CellIndex cell : phase_.flags[item.group].stages[stage])
          add(ActionKind::kRead, cell);
      }
      if (item.index + 1 == phase_.flags[item.group].stages.size()) {
        add(ActionKind::kReadFinal, phase_.flags[item.group].flag);
      }
  }
}

void Chooser::do_turn(const OrderedItem& item) {
  const SequencerUse& use = phase_.sequencers[item.group];
  add(ActionKind::kAwait, item.group, item.index);
  access_some(use.cells);
  add(ActionKind::kAdvance, item.group, item.index);
}

void Chooser::end_phase() {
  if (!worker_.private_taken) {
    worker_.private_taken = true;
    for (std::uint64_t lock = 0; lock < phase_.locks.size(); ++lock) {
      const LockUse& use = phase_.locks[lock];
      if (!use.is_private || use.holder != worker_.index) continue;
      add(ActionKind::kAcquire, lock);
      inside_lock(lock);
    }
    if (!worker_.todo.empty()) return;
  }
  worker_.at_end = true;
  add(phase_.serial ? ActionKind::kPublish : ActionKind::kBarrier);
}

void Chooser::use_owned() {
  const std::vector<CellIndex>& owned = phase_.owned[worker_.index];
  if (owned.empty()) return;
  for (std::uint64_t left = 1 + random_.below(4); left > 0; --left) use_own(any(owned));
}

// Writes all of the cell's page, if all of that may be written, now and then.
bool Chooser::overwrites(const std::vector<CellIndex>& mine, CellIndex cell) {
  if (!plan_.with_overwrites || !worker_.peek_random.chance(40)) return false;
  const auto [first, end] = plan_.cells_beside(cell);
  for (CellIndex at = first; at < end; ++at) {
    if (std::ranges::find(mine, at) == mine.end()) return false;
  }
  add(ActionKind::kOverwrite, cell);
  for (CellIndex at = first; at < end; ++at) add(ActionKind::kWrite, at);
  commit(cell);
  return true;
}

void Chooser::use_own(CellIndex cell) {
  if (overwrites(phase_.owned[worker_.index], cell)) return;
  if (plan_.cells[cell].aligned && random_.chance(30)) add(ActionKind::kOwnAtomic, cell);
  access(cell);
}

void Chooser::peek() {
  Random& random = worker_.peek_random;
  for (std::uint64_t left = 1 + random.below(4); left > 0; --left) {
    const std::vector<CellIndex>& cells = phase_.owned[random.below(phase_.owned.size())];
    if (cells.empty()) continue;
    const CellIndex cell = cells[random.below(cells.size())];
    if (plan_.cells[cell].aligned) add(ActionKind::kPeek, cell);
  }
}

// Reads cell after cell, so that there is something to read ahead.
void Chooser::read_along() {
  const bool own = random_.chance(40);
  const std::vector<CellIndex>& cells = own ? phase_.owned[worker_.index] : phase_.read_only;
  if (cells.empty()) return;
  std::vector<CellIndex> sorted = cells;
  std::ranges::sort(sorted);
  const std::size_t first = random_.below(sorted.size());
  const std::size_t end = std::min(sorted.size(), first + 1 + random_.below(8));
  for (std::size_t at = first; at < end; ++at) add(ActionKind::kRead, sorted[at]);
}

void Chooser::inside_lock(std::uint64_t lock) {
  const std::size_t first = worker_.todo.size();
  const std::vector<CellIndex>& guarded = phase_.locks[lock].guarded;
  const bool may_overwrite = !guarded.empty() && plan_.may_write_guarded(worker_.index, lock);
  if (!may_overwrite || !overwrites(guarded, guarded.front())) access_some(guarded);
  for (std::size_t at = first; at < worker_.todo.size(); ++at) {
    if (!plan_.may_write_guarded(worker_.index, lock)) worker_.todo[at].kind = ActionKind::kRead;
  }
  if (!phase_.locks[lock].pool.empty()) add(ActionKind::kPoolTrade, lock);
}

void Chooser::use_lock(std::uint64_t lock) {
  const auto open = [this](std::uint64_t index) { return !phase_.locks[index].is_private; };
  if (!open(lock) || add_sum(lock)) return;
  name_data(lock);
  // A second one inside, always in the same order.
  const std::uint64_t inner = lock + 1 + random_.below(2);
  const bool nested = inner < phase_.locks.size() && open(inner) && random_.chance(25);
  // A lock that was held over the barrier is taken from there with a wait, tries are for others.
  const bool try_only = random_.chance(25);
  const std::size_t place = worker_.todo.size();
  add(try_only ? ActionKind::kTry : ActionKind::kAcquire, lock);
  inside_lock(lock);
  if (nested) {
    add(ActionKind::kAcquire, inner);
    inside_lock(inner);
    if (random_.chance(50)) inside_lock(lock);
    add(ActionKind::kRelease, inner);
  }
  add(ActionKind::kRelease, lock);
  worker_.todo[place].b = static_cast<std::uint32_t>(worker_.todo.size() - place - 1);
  add(ActionKind::kPoolUse, lock);
}

// Rightly or wrongly.
void Chooser::name_data(std::uint64_t lock) {
  Random& apart = worker_.prefetch_random;
  if (!plan_.with_hints || plan_.cells.empty() || !apart.chance(25)) return;
  const std::vector<CellIndex>& guarded = phase_.locks[lock].guarded;
  const bool is_right = !guarded.empty() && apart.chance(75);
  add(ActionKind::kNameData, lock,
      is_right ? guarded[apart.below(guarded.size())] : apart.below(plan_.cells.size()));
}

// One that may be done without the lock, and behind it what is done with the lock if not.
bool Chooser::add_sum(std::uint64_t lock) {
  Random& random = worker_.peek_random;
  if (!plan_.with_sums || !plan_.may_write_guarded(worker_.index, lock) || random.chance(30)) {
    return false;
  }
  const std::vector<CellIndex>& guarded = phase_.locks[lock].guarded;
  const std::vector<CellIndex>& owned = phase_.owned[worker_.index];
  const auto draw = [&](const std::vector<CellIndex>& cells) {
    return cells[random.below(cells.size())];
  };
  if (guarded.empty()) return false;
  const CellIndex sum = draw(guarded);
  CellIndex term = draw(guarded);
  if (!owned.empty() && random.chance(30)) term = draw(owned);
  if (!phase_.read_only.empty() && random.chance(plan_.read_terms)) term = draw(phase_.read_only);
  if (!plan_.cells[sum].aligned || plan_.cells[term].size > 8) return false;
  add(ActionKind::kBeginSum, lock, sum);
  add(ActionKind::kTakeTerm, term);
  add(ActionKind::kAddSum, lock, sum);
  add(ActionKind::kAcquire, lock);
  add(ActionKind::kTakeTerm, term, 1);
  add(ActionKind::kRead, sum);
  add(ActionKind::kWriteSum, sum);
  add(ActionKind::kRelease, lock);
  if (plan_.with_mesh && random.chance(60)) (void)add_sum(lock);
  return true;
}

void Chooser::use_spin(std::uint64_t group) {
  add(ActionKind::kSpinLock, group);
  access_some(phase_.spins[group].cells);
  add(ActionKind::kSpinUnlock, group);
}

void Chooser::arrive() {
  worker_.arrivals_done.resize(phase_.arrivals.size());
  for (std::uint64_t group = 0; group < phase_.arrivals.size(); ++group) {
    const ArriveUse& use = phase_.arrivals[group];
    const auto place = std::ranges::find(use.threads, worker_.index);
    if (worker_.arrivals_done[group] || place == use.threads.end()) continue;
    worker_.arrivals_done[group] = true;
    add(ActionKind::kWrite, use.data[static_cast<std::size_t>(place - use.threads.begin())]);
    return add(ActionKind::kArrive, group);
  }
}

// All that the phase has for this thread, but for some of it, in an order of its own.
void Chooser::do_as_ever() {
  std::vector<std::function<void()>> uses;
  for (const CellIndex cell : phase_.owned[worker_.index]) {
    uses.emplace_back([this, cell] { use_own(cell); });
  }
  for (const CellIndex cell : phase_.read_only) {
    uses.emplace_back([this, cell] { add(ActionKind::kRead, cell); });
  }
  for (const CellIndex cell : phase_.counters) {
    uses.emplace_back([this, cell] { add(ActionKind::kCount, cell); });
  }
  for (std::uint64_t lock = 0; lock < phase_.locks.size(); ++lock) {
    const LockUse& use = phase_.locks[lock];
    if (use.guarded.empty() && use.pool.empty()) continue;
    uses.emplace_back([this, lock] { use_lock(lock); });
  }
  for (std::uint64_t group = 0; group < phase_.spins.size(); ++group) {
    uses.emplace_back([this, group] { use_spin(group); });
  }
  for (std::size_t left = phase_.arrivals.size(); left > 0; --left) {
    uses.emplace_back([this] { arrive(); });
  }
  if (plan_.outside_percent > 0) uses.emplace_back([this] { use_outside(); });
  shuffle(random_, uses);
  for (const std::function<void()>& use : uses) {
    if (random_.chance(80)) use();
  }
}

// Adds a move, now and then. By random numbers of their own, as few plans have moves.
bool may_move(const Plan& plan, Worker& worker) {
  if (!plan.with_moves || !worker.is_outsider || worker.peek_random.chance(70)) return false;
  const std::uint64_t node = worker.peek_random.below(plan.config.node_count);
  worker.todo.push_back({ActionKind::kMove, static_cast<std::uint32_t>(node), 0});
  return true;
}

// Any access to what threads of the team and others share.
void add_shared_actions(const Plan& plan, Worker& worker) {
  const auto add = [&worker](ActionKind kind, std::uint64_t a) {
    worker.todo.push_back({kind, static_cast<std::uint32_t>(a), 0});
  };
  const auto access_some = [&](const std::vector<CellIndex>& cells) {
    for (std::uint64_t left = cells.empty() ? 0 : worker.random.below(4); left > 0; --left) {
      const CellIndex cell = cells[worker.random.below(cells.size())];
      if (worker.random.chance(50)) add(ActionKind::kRead, cell);
      if (worker.random.chance(60)) add(ActionKind::kWrite, cell);
    }
  };
  if (!plan.outside_counters.empty() && worker.random.chance(20)) {
    return add(ActionKind::kCount,
               plan.outside_counters[worker.random.below(plan.outside_counters.size())]);
  }
  if (!plan.outside_spins.empty() && worker.random.chance(50)) {
    const std::uint64_t group = worker.random.below(plan.outside_spins.size());
    add(ActionKind::kSpinLock, kFirstOutsideSpin + group);
    access_some(plan.outside_spins[group].cells);
    if (may_move(plan, worker)) access_some(plan.outside_spins[group].cells);
    return add(ActionKind::kSpinUnlock, kFirstOutsideSpin + group);
  }
  const std::uint64_t lock = worker.random.below(plan.outside_locks.size());
  add(ActionKind::kAcquire, plan.locks.size() + lock);
  access_some(plan.outside_guarded[lock]);
  if (may_move(plan, worker)) access_some(plan.outside_guarded[lock]);
  add(ActionKind::kRelease, plan.locks.size() + lock);
}

void Chooser::use_outside() { add_shared_actions(plan_, worker_); }

void choose_outside_actions(const Plan& plan, Worker& worker) {
  const auto add = [&worker](ActionKind kind, std::uint64_t a) {
    worker.todo.push_back({kind, static_cast<std::uint32_t>(a), 0});
  };
  const auto read_some = [&] {
    if (plan.constants.empty()) return;
    for (std::uint64_t left = 1 + worker.random.below(3); left > 0; --left) {
      add(ActionKind::kRead, plan.constants[worker.random.below(plan.constants.size())]);
    }
  };
  if (worker.steps_left == 0) {
    // As whoever joins it would look at them. Its last additions may wait at their home for an
    // update that another node has deferred, and sends when somebody reads there.
    for (const CellIndex counter : plan.outside_counters) add(ActionKind::kPeek, counter);
    return add(ActionKind::kEnd, 0);
  }
  if (may_move(plan, worker)) return;
  --worker.steps_left;
  const std::uint64_t dice = worker.random.below(3);
  if (dice == 0 && !plan.outside_counters.empty()) {
    const std::uint64_t which = worker.random.below(plan.outside_counters.size());
    return add(ActionKind::kCount, plan.outside_counters[which]);
  }
  if (dice == 1) return add_shared_actions(plan, worker);
  read_some();
}

}  // namespace

void choose_actions(const Plan& plan, Worker& worker) {
  if (worker.is_outsider) return choose_outside_actions(plan, worker);
  Chooser(plan, worker).choose();
}

}  // namespace weft::sim
