// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections of the simulated program that only add under a lock (protocol/locks.md, 26): by a right,
// or with the lock as any other. By a right they acquire what those released that had the lock, and
// nothing of each other.
#include <algorithm>
#include <cstring>

#include "sim/checkers/atomic_model.hpp"
#include "sim/checkers/failure.hpp"
#include "sim/cluster/cluster.hpp"
#include "sim/cluster/node.hpp"

namespace weft::sim {
namespace {

Bytes sum_of(ByteView held, const AtomicRequest& update) {
  Bytes sum(held.begin(), held.end());
  perform_model(update, sum);
  return sum;
}

}  // namespace

void Cluster::begin_sum(Worker& worker, Action action) {
  LockState& lock = locks_[action.a];
  Node& node = node_of(worker);
  const LockId id = plan_.lock(action.a);
  ++lock.users;
  lock.mark_in_use();
  const Cell& cell = plan_.cells[action.b];
  worker.atomic = AtomicRequest{};
  worker.atomic.where = cell.where;
  worker.atomic.size = cell.size;
  worker.atomic.operation = AtomicOperation::kAdd;
  if (worker.peek_random.chance(80) && node.entrusted_locks.take(id)) {
    return on_complete(node, wait_of(worker));
  }
  if (const std::uint64_t right = node.entrusted_locks.right_of(id);
      right != 0 && worker.peek_random.chance(80)) {
    return on_complete_adding(wait_of(worker), right);
  }
  const AddingTarget target = target_of(worker.atomic);
  node.enter([&](Engine& engine) { engine.handle_acquire_adding(id, {target}, wait_of(worker)); });
}

void Cluster::on_complete_adding(WaitId wait, std::uint64_t right) {
  Worker& worker = worker_of(wait);
  const Action action = worker.todo.front();
  SIM_CHECK(worker.state == Worker::State::kWaiting && action.kind == Action::Kind::kBeginSum,
            "thread {} gets a right unasked", worker.index);
  LockState& lock = locks_[action.a];
  --lock.users;
  worker.right = right;
  oracle_.acquire(worker.index, lock.released);
  next_action(worker);
}

// Without the lock it counts if the sum is added: else it is read again.
void Cluster::take_term(Worker& worker, Action action) {
  const Cell& cell = plan_.cells[action.a];
  const ByteView seen = node_of(worker).memory.read(cell.where, cell.size);
  worker.term.assign(seen.begin(), seen.end());
  worker.term_cell = action.a;
  if (action.b != 0) oracle_.check_read(worker.index, action.a, seen);
  next_action(worker);
}

void Cluster::add_sum(Worker& worker, Action action) {
  const Cell& term = plan_.cells[worker.term_cell];
  AtomicRequest& update = worker.atomic;
  std::memcpy(update.operand, worker.term.data(), std::min<std::size_t>(update.size, term.size));
  const AddingInput input{term.where, term.size};
  AddingResult result{};
  node_of(worker).enter([&](Engine& engine) {
    result = engine.handle_add(plan_.lock(action.a), worker.right, {{&update, 1}, {&input, 1}});
  });
  if (result == AddingResult::kBeginAgain) {
    worker.todo.push_front({Action::Kind::kTakeTerm, worker.term_cell});
    worker.todo.push_front({Action::Kind::kBeginSum, action.a, action.b});
    return schedule(worker);
  }
  if (result == AddingResult::kTakeLock) return next_action(worker);
  LockState& lock = locks_[action.a];
  SIM_CHECK(lock.holder < 0, "thread {} adds while thread {} holds lock {}", worker.index,
            lock.holder, action.a);
  oracle_.check_read(worker.index, worker.term_cell, worker.term);
  oracle_.note_atomic(worker.index, action.b, true);
  oracle_.set_contents(action.b, sum_of(oracle_.contents(action.b), update));
  join(lock.added, oracle_.release(worker.index));
  worker.skip_to(Action::Kind::kRelease);
  next_action(worker);
}

// With the lock.
void Cluster::write_sum(Worker& worker, Action action) {
  const Cell& cell = plan_.cells[action.a];
  AtomicRequest update;
  update.size = cell.size;
  update.operation = AtomicOperation::kAdd;
  std::memcpy(update.operand, worker.term.data(),
              std::min<std::size_t>(cell.size, worker.term.size()));
  const Bytes sum = sum_of(oracle_.contents(action.a), update);
  node_of(worker).memory.write(cell.where, sum);
  oracle_.note_write(worker.index, action.a, sum);
  next_action(worker);
}

}  // namespace weft::sim
