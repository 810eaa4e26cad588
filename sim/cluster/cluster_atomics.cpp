// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The atomic operations of the simulated program, and what their results must be.
#include <algorithm>
#include <cstring>

#include "protocol/updates/merged_atomics.hpp"
#include "sim/checkers/atomic_model.hpp"
#include "sim/checkers/failure.hpp"
#include "sim/cluster/cluster.hpp"
#include "sim/cluster/node.hpp"

namespace weft::sim {
namespace {

std::uint64_t number(const std::byte (&bytes)[16], std::uint8_t size) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes, size);
  return value;
}

// How far `value` is above `start`, in a cell of this size.
std::uint64_t distance(std::uint64_t value, std::uint64_t start, std::uint8_t size) {
  const std::uint64_t mask = size == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * size)) - 1;
  return (value - start) & mask;
}

constexpr Ordering kAnyOrdering[] = {Ordering::kRelaxed, Ordering::kAcquire, Ordering::kRelease,
                                     Ordering::kAcquireRelease};

// Some flags are stored and looked at in no order, beside flushes.
bool goes_by_flushes(const FlagUse& use) { return use.flag % 3 == 0; }
// And of these some without: who stores them does not flush, who looks at them asks for all.
bool goes_unflushed(const FlagUse& use) { return use.flag % 12 == 3; }

// Most flushes of threads that have seen the flag need not ask, if there is nothing to acquire.
FlushKind kind_of_flush(Worker& worker, const FlagUse& use) {
  if (goes_unflushed(use)) return FlushKind::kPolled;
  return worker.peek_random.chance(75) ? FlushKind::kConfirms : FlushKind::kAsks;
}

}  // namespace

void Cluster::store_flag(Worker& worker, Action action) {
  const FlagUse& use = phase_of(worker).flags[action.a];
  PhaseState& state = state_of(worker);
  const std::uint64_t value = state.flag_start[action.a] + action.b + 1;
  oracle_.note_atomic(worker.index, use.flag, true);
  state.flag_clocks[action.a].push_back(oracle_.release(worker.index));
  oracle_.set_value(use.flag, value);
  if (!goes_by_flushes(use)) {
    return start_operation(worker, use.flag, AtomicOperation::kStore, value, Ordering::kRelease);
  }
  if (!goes_unflushed(use)) node_of(worker).enter([](Engine& engine) { engine.note_flush(); });
  // The runtime makes a release of it, if the flush is not implied.
  const bool releases = !goes_unflushed(use) && worker.peek_random.chance(60);
  start_operation(worker, use.flag, AtomicOperation::kStore, value,
                  releases ? Ordering::kRelease : Ordering::kRelaxed);
}

void Cluster::look_at_flag(Worker& worker, Action action) {
  const FlagUse& use = phase_of(worker).flags[action.a];
  if (worker.flag_value) {
    return node_of(worker).enter(
        [&](Engine& engine) { engine.handle_fence(wait_of(worker), kind_of_flush(worker, use)); });
  }
  oracle_.note_atomic(worker.index, use.flag, false);
  const Ordering ordering = goes_by_flushes(use) ? Ordering::kRelaxed : Ordering::kAcquire;
  // Who has seen the stage before waits for no change.
  const bool waits = worker.flags_seen[action.a] <= action.b;
  if (!waits || worker.peek_random.chance(50)) {
    return start_operation(worker, use.flag, AtomicOperation::kLoad, 0, ordering);
  }
  const std::uint64_t seen = state_of(worker).flag_start[action.a] + worker.flags_seen[action.a];
  start_operation(worker, use.flag, AtomicOperation::kLoad, seen, ordering, 0, /*patient=*/true);
  // As after a while, and again if the home could not keep it yet.
  if (worker.peek_random.chance(30)) {
    node_of(worker).enter([&](Engine& engine) { engine.handle_hurry(wait_of(worker)); });
  }
}

// What is behind the flag is seen after the next flush.
void Cluster::end_look(Worker& worker, Action action, std::uint64_t value) {
  if (!goes_by_flushes(phase_of(worker).flags[action.a])) {
    return end_flag_wait(worker, action, value);
  }
  worker.flag_value = value;
  schedule(worker);
}

void Cluster::start_atomic(Worker& worker, Action action) {
  const bool is_spin =
      action.kind == Action::Kind::kSpinLock || action.kind == Action::Kind::kSpinUnlock;
  if (is_spin) return start_spin(worker, action);
  if (action.kind == Action::Kind::kCount) {
    oracle_.note_atomic(worker.index, action.a, true);
    return start_operation(worker, action.a, AtomicOperation::kAdd, 1,
                           kAnyOrdering[worker.random.below(4)]);
  }
  if (action.kind == Action::Kind::kPeek) {
    return start_operation(worker, action.a, AtomicOperation::kLoad, 0,
                           kAnyOrdering[worker.peek_random.below(4)]);
  }
  PhaseState& state = state_of(worker);
  const Phase& phase = phase_of(worker);
  switch (action.kind) {
    case Action::Kind::kOwnAtomic:
      return start_own_atomic(worker, action.a);
    case Action::Kind::kFlagStore:
      return store_flag(worker, action);
    case Action::Kind::kFlagWait:
      return look_at_flag(worker, action);
    case Action::Kind::kArrive:
      oracle_.note_atomic(worker.index, phase.arrivals[action.a].counter, true);
      join(state.arrive_clocks[action.a], oracle_.release(worker.index));
      return start_operation(worker, phase.arrivals[action.a].counter, AtomicOperation::kAdd, 1,
                             Ordering::kAcquireRelease);
    default:
      throw Failure(fmt::format("no such action: {}", action_name(action.kind)));
  }
}

PhaseState& Cluster::state_of_spin(const Worker& worker, std::uint32_t& group) {
  if (group < kFirstOutsideSpin) return state_of(worker);
  group -= kFirstOutsideSpin;
  return outside_state_;
}

void Cluster::start_spin(Worker& worker, Action action) {
  std::uint32_t group = action.a;
  PhaseState& state = state_of_spin(worker, group);
  const CellIndex word =
      group == action.a ? phase_of(worker).spins[group].word : plan_.outside_spins[group].word;
  const std::uint64_t start = state.spin_start[group];
  oracle_.note_atomic(worker.index, word, true);
  if (action.kind == Action::Kind::kSpinLock) {
    return start_operation(worker, word, AtomicOperation::kCompareExchange, start + 1,
                           Ordering::kAcquire, start);
  }
  state.spin_holders[group] = -1;
  state.spin_clocks[group] = oracle_.release(worker.index);
  start_operation(worker, word, AtomicOperation::kStore, start, Ordering::kRelease);
}

void Cluster::start_own_atomic(Worker& worker, CellIndex cell) {
  const auto operation = static_cast<AtomicOperation>(
      worker.random.below(static_cast<std::uint64_t>(AtomicOperation::kUnsignedMin) + 1));
  const std::uint64_t operand = worker.random.chance(30) ? 0 : worker.random.next();
  // A compare-exchange fails as often as not.
  const std::uint64_t expected = worker.random.chance(50) ? oracle_.value(cell) : operand;
  oracle_.note_atomic(worker.index, cell, true);
  start_operation(worker, cell, operation, operand, kAnyOrdering[worker.random.below(4)], expected);
}

void Cluster::start_operation(Worker& worker, CellIndex index, AtomicOperation operation,
                              std::uint64_t operand, Ordering ordering, std::uint64_t expected,
                              bool patient) {
  const Cell& cell = plan_.cells[index];
  AtomicRequest& request = worker.atomic;
  request = AtomicRequest{};
  request.where = cell.where;
  request.size = cell.size;
  request.operation = operation;
  std::memcpy(request.operand, &operand, cell.size);
  std::memcpy(request.expected, &expected, cell.size);
  if (try_merge(worker, ordering)) return;
  node_of(worker).enter(
      [&](Engine& engine) { engine.handle_atomic(request, ordering, wait_of(worker), patient); });
}

// As a program that does not look at what the operation found.
bool Cluster::try_merge(Worker& worker, Ordering ordering) {
  const Action action = worker.todo.front();
  const bool is_unseen =
      action.kind == Action::Kind::kOwnAtomic || action.kind == Action::Kind::kCount;
  if (!is_unseen || ordering != Ordering::kRelaxed ||
      !MergedAtomics::commutes(worker.atomic.operation) || worker.random.chance(30)) {
    return false;
  }
  bool merged = false;
  node_of(worker).enter([&](Engine& engine) { merged = engine.handle_merge(worker.atomic); });
  if (!merged) return false;
  const ByteView held = oracle_.contents(action.a);
  Bytes expected(held.begin(), held.end());
  perform_model(worker.atomic, expected);
  oracle_.set_contents(action.a, expected);
  next_action(worker);
  return true;
}

void Cluster::end_atomic(Worker& worker, const AtomicResult& result) {
  const Action action = worker.todo.front();
  const std::uint8_t size = worker.atomic.size;
  const std::uint64_t before = number(result.before, size);
  switch (action.kind) {
    case Action::Kind::kOwnAtomic:
      return end_own_atomic(worker, action.a, result);
    case Action::Kind::kCount:
      return end_count(worker, action.a, before);
    case Action::Kind::kPeek:
    case Action::Kind::kFlagStore:
      return next_action(worker);
    case Action::Kind::kFlagWait:
      return end_look(worker, action, before);
    case Action::Kind::kSpinLock:
      return end_spin_lock(worker, action.a, before);
    case Action::Kind::kSpinUnlock:
      return next_action(worker);
    case Action::Kind::kArrive:
      return end_arrive(worker, action.a, before);
    default:
      throw Failure("an atomic's result for a thread that did none");
  }
}

void Cluster::end_own_atomic(Worker& worker, CellIndex cell, const AtomicResult& result) {
  const std::uint8_t size = worker.atomic.size;
  const ByteView held = oracle_.contents(cell);
  const bool tells = worker.atomic.operation != AtomicOperation::kStore;
  SIM_CHECK(!tells || std::memcmp(result.before, held.data(), size) == 0,
            "an atomic operation of thread {} on its own cell {} finds something else",
            worker.index, cell);
  Bytes expected(held.begin(), held.end());
  perform_model(worker.atomic, expected);
  SIM_CHECK(!tells || std::memcmp(result.after, expected.data(), size) == 0,
            "an atomic operation of thread {} on cell {} leaves something wrong", worker.index,
            cell);
  oracle_.set_contents(cell, expected);
  next_action(worker);
}

void Cluster::end_count(Worker& worker, CellIndex cell, std::uint64_t before) {
  PhaseState& state = plan_.is_outside(cell) ? outside_state_ : state_of(worker);
  std::set<std::uint64_t>& seen = state.counts_seen[cell];
  SIM_CHECK(seen.insert(before).second, "two additions to counter cell {} find {}", cell, before);
  oracle_.set_value(cell, oracle_.value(cell) + 1);
  next_action(worker);
}

void Cluster::end_flag_wait(Worker& worker, Action action, std::uint64_t value) {
  PhaseState& state = state_of(worker);
  const std::uint64_t stages = distance(value, state.flag_start[action.a], worker.atomic.size);
  const std::vector<Clock>& clocks = state.flag_clocks[action.a];
  SIM_CHECK(stages <= clocks.size(), "flag {} has a value that nobody stored", action.a);
  SIM_CHECK(stages >= worker.flags_seen[action.a], "flag {} goes back for thread {}", action.a,
            worker.index);
  worker.flags_seen[action.a] = stages;
  if (stages > 0) oracle_.acquire(worker.index, clocks[stages - 1]);
  if (stages > action.b) return next_action(worker);
  schedule_retry(worker);
}

void Cluster::end_spin_lock(Worker& worker, std::uint32_t group, std::uint64_t before) {
  PhaseState& state = state_of_spin(worker, group);
  if (distance(before, state.spin_start[group], worker.atomic.size) != 0) {
    return schedule_retry(worker);
  }
  SIM_CHECK(state.spin_holders[group] < 0, "threads {} and {} both hold spin lock {}",
            state.spin_holders[group], worker.index, group);
  state.spin_holders[group] = worker.index;
  oracle_.acquire(worker.index, state.spin_clocks[group]);
  next_action(worker);
}

void Cluster::end_arrive(Worker& worker, std::uint32_t group, std::uint64_t before) {
  PhaseState& state = state_of(worker);
  const ArriveUse& use = phase_of(worker).arrivals[group];
  const std::uint64_t count = distance(before, state.arrive_start[group], worker.atomic.size);
  SIM_CHECK(count < use.threads.size(), "counter of arrivals {} is at {}", group, count);
  // Results may come in another order than the operations were done in.
  state.arrived[group] = std::max<std::size_t>(state.arrived[group], count + 1);
  oracle_.set_value(use.counter, state.arrive_start[group] + state.arrived[group]);
  next_action(worker);
  if (count + 1 < use.threads.size()) return;
  // The last one: everything that the others wrote before is to be seen.
  oracle_.acquire(worker.index, state.arrive_clocks[group]);
  for (const CellIndex cell : use.data) worker.todo.push_front({Action::Kind::kRead, cell, 0});
  worker.todo.push_front({Action::Kind::kReadFinal, use.counter, 0});
}

}  // namespace weft::sim
