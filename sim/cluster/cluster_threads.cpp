// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the threads of the simulated program do, atomic operations apart.
#include "base/placement.hpp"
#include "sim/checkers/failure.hpp"
#include "sim/cluster/cluster.hpp"
#include "sim/cluster/node.hpp"

namespace weft::sim {

void Cluster::step(Worker& worker) {
  if (is_meeting(worker)) return look_for_others(worker);
  if (worker.state != Worker::State::kRunning) return;
  while (worker.todo.empty()) choose_actions(plan_, worker);
  const Action action = worker.todo.front();
  trace_.note(4, worker.index, action.kind, action.a);
  if (trace_.print) {
    trace_.print(fmt::format("{:8} thread {} of node {}: {} {} {}", events_.now(), worker.index,
                             worker.node, action_name(action.kind), action.a, action.b));
  }
  worker.in_engine = true;
  do_action(worker, action);
  worker.in_engine = false;
}

void Cluster::next_action(Worker& worker) {
  worker.todo.pop_front();
  worker.vain_tries = 0;
  schedule(worker);
}

void Cluster::do_action(Worker& worker, Action action) {
  switch (action.kind) {
    case Action::Kind::kRead:
    case Action::Kind::kWrite:
    case Action::Kind::kReadFinal:
      if (!touch(worker, action)) return;
      access_plain(worker, action);
      return next_action(worker);
    case Action::Kind::kOverwrite:
      next_action(worker);
      return node_of(worker).overwrite(plan_.cells[action.a].where.page());
    case Action::Kind::kPrefetch:
      next_action(worker);
      return node_of(worker).prefetch(
          plan_.pages_from(plan_.cells[action.a].where.page(), action.b / 3),
          static_cast<MemoryUse>(action.b % 3));
    case Action::Kind::kOwn:
      next_action(worker);
      return node_of(worker).prefetch(
          plan_.pages_from(plan_.cells[action.a].where.page(), action.b), MemoryUse::kOwns);
    case Action::Kind::kNameData:
      next_action(worker);
      return node_of(worker).name_data(plan_.lock(action.a), plan_.cells[action.b].where.page());
    case Action::Kind::kCommit:
      next_action(worker);
      return node_of(worker).commit(plan_.pages_from(plan_.cells[action.a].where.page(), action.b));
    case Action::Kind::kTakeTerm:
      if (!touch(worker, action)) return;
      return take_term(worker, action);
    case Action::Kind::kAddSum:
      return add_sum(worker, action);
    case Action::Kind::kWriteSum:
      if (!touch(worker, action)) return;
      return write_sum(worker, action);
    case Action::Kind::kPoolTrade:
      trade_pool(worker, action.a);
      return next_action(worker);
    case Action::Kind::kPoolUse:
      return use_pool(worker, action.a);
    case Action::Kind::kRelease:
      return release_lock(worker, action);
    case Action::Kind::kAdvance:
      return use_sequencer(worker, action);
    case Action::Kind::kPublish:
      return publish(worker);
    case Action::Kind::kBarrier:
      return reach_barrier(worker);
    case Action::Kind::kMove:
      return move(worker, NodeId(static_cast<std::uint16_t>(action.a)));
    case Action::Kind::kReleaseThere:
      return release_there(worker, action);
    case Action::Kind::kEnd:
      worker.state = Worker::State::kDone;
      // Nobody acquires from it any more, and what it added up must not stay here for ever.
      return node_of(worker).enter([](Engine& engine) { engine.handle_flush(); });
    default:
      return start_action(worker, action);
  }
}

// Those that end with a completion.
void Cluster::start_action(Worker& worker, Action action) {
  worker.state = Worker::State::kWaiting;
  switch (action.kind) {
    case Action::Kind::kAcquire:
    case Action::Kind::kTry:
      return start_lock(worker, action);
    case Action::Kind::kBeginSum:
      return begin_sum(worker, action);
    case Action::Kind::kAwait:
      return use_sequencer(worker, action);
    case Action::Kind::kFlagStore:
    case Action::Kind::kFlagWait:
      return phase_of(worker).flags[action.a].is_counted ? use_counted_flag(worker, action)
                                                         : start_atomic(worker, action);
    default:
      return start_atomic(worker, action);
  }
}

// True if the cell's page is there; else the thread waits for it.
bool Cluster::touch(Worker& worker, Action action) {
  Node& node = node_of(worker);
  const PageIndex page = plan_.cells[action.a].where.page();
  if (node.memory.access(page) != Memory::Access::kAbsent) return true;
  worker.state = Worker::State::kFault;
  worker.faulted = page;
  worker.asked_at = node.memory.unmap_calls();
  node.enter([&](Engine& engine) { engine.handle_fault(page, worker.local); });
  return false;
}

void Cluster::access_plain(Worker& worker, Action action) {
  const Cell& cell = plan_.cells[action.a];
  Node& node = node_of(worker);
  if (action.kind != Action::Kind::kWrite) {
    oracle_.check_read(worker.index, action.a, node.memory.read(cell.where, cell.size));
    return;
  }
  Bytes bytes(cell.size);
  for (std::byte& byte : bytes) {
    byte = static_cast<std::byte>(worker.random.next() % plan_.values);
  }
  node.memory.write(cell.where, bytes);
  oracle_.note_write(worker.index, action.a, bytes);
}

void Cluster::trade_pool(Worker& worker, std::uint32_t lock) {
  PhaseState& state = state_of(worker);
  for (const CellIndex cell : phase_of(worker).locks[lock].pool) {
    int& owner = state.pool_owner[cell];
    if (owner == worker.index && worker.random.chance(50)) {
      owner = -1;
    } else if (owner < 0 && worker.random.chance(60)) {
      owner = worker.index;
    }
  }
}

void Cluster::use_pool(Worker& worker, std::uint32_t lock) {
  worker.todo.pop_front();
  for (const auto& [cell, owner] : state_of(worker).pool_owner) {
    if (owner != worker.index || worker.random.chance(50)) continue;
    worker.todo.push_front({Action::Kind::kWrite, cell, 0});
    worker.todo.push_front({Action::Kind::kRead, cell, 0});
    break;
  }
  schedule(worker);
}

void Cluster::start_lock(Worker& worker, Action action) {
  LockState& lock = locks_[action.a];
  Node& node = node_of(worker);
  const LockId id = plan_.lock(action.a);
  // A thread that finds such a lock held may come to the engine when it is free again.
  const bool is_taken = worker.random.chance(80) && node.entrusted_locks.take(id);
  if (action.kind == Action::Kind::kAcquire) {
    ++lock.users;
    lock.mark_in_use();
    if (is_taken) return on_complete(node, wait_of(worker));
    return node.enter([&](Engine& engine) { engine.handle_acquire(id, wait_of(worker)); });
  }
  // Another try under way may be the one that succeeds.
  const bool contended = lock.users > 0 || !lock.tries.empty();
  lock.mark_in_use();
  lock.tries[worker.index] = contended;
  if (is_taken) return on_complete_try(wait_of(worker), true);
  node.enter([&](Engine& engine) { engine.handle_try_acquire(id, wait_of(worker)); });
}

void Cluster::release_lock(Worker& worker, Action action) {
  LockState& lock = locks_[action.a];
  SIM_CHECK(lock.holder == worker.index, "thread {} releases lock {} of thread {}", worker.index,
            action.a, lock.holder);
  lock.released = oracle_.release(worker.index);
  if (lock.keeper != worker.node) return release_elsewhere(worker, NodeId(lock.keeper));
  next_action(worker);
  give_up(action.a);
}

// By its keeper.
void Cluster::give_up(std::uint32_t index) {
  LockState& lock = locks_[index];
  lock.holder = -1;
  --lock.users;
  Node& keeper = *nodes_[lock.keeper];
  const LockId id = plan_.lock(index);
  if (keeper.entrusted_locks.give_up(id)) return;
  keeper.enter([&](Engine& engine) { engine.handle_release(id); });
}

void Cluster::use_sequencer(Worker& worker, Action action) {
  const SequencerId id = plan_.sequencers[action.a];
  const std::uint64_t value = phase_of(worker).sequencers[action.a].first + action.b;
  Node& node = node_of(worker);
  if (phase_of(worker).sequencers[action.a].by_posts) return use_posts(worker, action);
  if (action.kind == Action::Kind::kAwait) {
    return node.enter([&](Engine& engine) { engine.handle_await(id, value, wait_of(worker)); });
  }
  state_of(worker).advances[{action.a, value + 1}] = oracle_.release(worker.index);
  next_action(worker);
  node.enter([&](Engine& engine) { engine.handle_advance(id, value + 1); });
}

// A flag that is a count, kept anywhere: who waits need not ask for what it has been told of
// already.
void Cluster::use_counted_flag(Worker& worker, Action action) {
  const FlagUse& use = phase_of(worker).flags[action.a];
  const NodeId keeper(static_cast<std::uint16_t>(use.flag % plan_.config.node_count));
  const SequencerId id = placed_sequencer(keeper, worker.phase << 32 | action.a);
  Node& node = node_of(worker);
  if (action.kind == Action::Kind::kFlagWait) {
    if (worker.flags_seen[action.a] > action.b) return next_action(worker);
    return node.enter(
        [&](Engine& engine) { engine.handle_await(id, action.b + 1, wait_of(worker)); });
  }
  state_of(worker).flag_clocks[action.a].push_back(oracle_.release(worker.index));
  next_action(worker);
  node.enter([&](Engine& engine) { engine.handle_advance(id, action.b + 1); });
}

void Cluster::on_complete_await(Node& node, WaitId wait, std::uint64_t count) {
  Worker& worker = worker_of(wait);
  SIM_CHECK(worker.state == Worker::State::kWaiting, "thread {} gets a count unasked",
            worker.index);
  const Action action = worker.todo.front();
  if (action.kind != Action::Kind::kFlagWait) return on_complete(node, wait);
  trace_.note(2, worker.index, action.kind);
  const std::vector<Clock>& clocks = state_of(worker).flag_clocks[action.a];
  SIM_CHECK(count > action.b && count <= clocks.size(), "flag {} is told to be {}", action.a,
            count);
  worker.flags_seen[action.a] = count;
  oracle_.acquire(worker.index, clocks[count - 1]);
  next_action(worker);
}

// The same turns, each handed to the node of the thread that has the next one.
void Cluster::use_posts(Worker& worker, Action action) {
  const SequencerUse& use = phase_of(worker).sequencers[action.a];
  PhaseState& state = state_of(worker);
  if (action.kind == Action::Kind::kAwait) {
    if (action.b > 0 && !state.posted.contains({action.a, action.b})) return;
    return on_complete(node_of(worker), wait_of(worker));
  }
  const std::uint32_t next = action.b + 1;
  state.advances[{action.a, use.first + next}] = oracle_.release(worker.index);
  next_action(worker);
  if (next == use.turns.size()) return;
  Bytes payload;
  ByteWriter writer(payload);
  for (const std::uint64_t field : {worker.phase, std::size_t{action.a}, std::size_t{next}}) {
    writer.varint(field);
  }
  const NodeId to(workers_[use.turns[next]].node);
  node_of(worker).enter([&](Engine& engine) { engine.handle_post(to, payload); });
}

void Cluster::on_post(Node& node, ByteView payload) {
  ByteReader reader(payload);
  const std::uint64_t phase = reader.varint();
  if (phase >= plan_.phases.size()) {
    Worker& mover = workers_[reader.varint()];
    return on_move_post(node, static_cast<MovePost>(phase - plan_.phases.size()), mover);
  }
  const auto group = static_cast<std::uint32_t>(reader.varint());
  const auto turn = static_cast<std::uint32_t>(reader.varint());
  SIM_CHECK(reader.finished() && phase < plan_.phases.size(), "node {} gets a wrong post",
            node.id.value());
  SIM_CHECK(phase_states_[phase].posted.insert({group, turn}).second, "a post comes twice");
  Worker& worker = workers_[plan_.phases[phase].sequencers[group].turns[turn]];
  SIM_CHECK(worker.node == node.id.value(), "a post comes to the wrong node");
  if (worker.state != Worker::State::kWaiting || worker.phase != phase) return;
  const Action action = worker.todo.front();
  if (action.kind != Action::Kind::kAwait || action.a != group || action.b != turn) return;
  on_complete(node, wait_of(worker));
}

void Cluster::open_phase(std::size_t phase) {
  if (phase < plan_.phases.size()) {
    phase_states_[phase] = PhaseState(plan_.phases[phase], oracle_);
  }
}

void Cluster::begin_phase(Worker& worker, std::size_t phase) {
  oracle_.acquire(worker.index, phase_clocks_[phase]);
  worker.phase = phase;
  if (phase == plan_.phases.size()) {
    worker.state = Worker::State::kDone;
    return;
  }
  worker.items_done = 0;
  worker.steps_left = plan_.phases[phase].steps;
  worker.held_over_released = worker.private_taken = worker.at_end = false;
  worker.arrivals_done.clear();
  worker.flags_seen.assign(plan_.phases[phase].flags.size(), 0);
  if (worker.local == 0) start_outsiders(worker);
  const Phase& begun = plan_.phases[phase];
  worker.habit = Random(begun.habit + worker.index);
  const bool is_late = begun.late_by > 0 && begun.late_node == worker.node;
  schedule(worker, is_late ? begun.late_by : 0);
}

void Cluster::publish(Worker& worker) {
  Node& node = node_of(worker);
  const std::size_t next = worker.phase + 1;
  phase_clocks_[next] = oracle_.release(worker.index);
  open_phase(next);
  Bytes payload;
  ByteWriter(payload).varint(next);
  worker.state = Worker::State::kWaiting;
  node.in_barrier = true;
  node.next_phase = next;
  node.enter([&](Engine& engine) {
    engine.handle_publish(payload, key_of(next), has_outsiders(node), wait_of(worker));
  });
}

}  // namespace weft::sim
