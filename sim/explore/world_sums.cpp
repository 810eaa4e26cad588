// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections of the small program that only add under a lock (protocol/locks.md, 26): by a right, or
// with the lock as any other. By a right they acquire what those released that had the lock, and
// nothing of each other.
#include <cstring>

#include "sim/checkers/failure.hpp"
#include "sim/explore/world_node.hpp"

namespace weft::sim::explore {

void World::begin_sum(Thread& thread, const Step& step) {
  LockState& lock = locks_[step.lock];
  const LockId id = program_.locks[step.lock];
  ++lock.users;
  lock.mark_in_use();
  const WaitId wait = wait_of(thread);
  if (thread.index % 2 == 0 && node_at(thread).entrusted_locks.take(id)) return on_complete(wait);
  AtomicRequest update;
  update.where = program_.plan.cells[step.what].where;
  update.size = sizeof(std::uint64_t);
  update.operation = AtomicOperation::kAdd;
  thread.atomic = update;
  if (const std::uint64_t right = node_at(thread).entrusted_locks.right_of(id); right != 0) {
    return on_complete_adding(wait, right);
  }
  enter(node_at(thread),
        [&](Engine& engine) { engine.handle_acquire_adding(id, {target_of(update)}, wait); });
}

void World::on_complete_adding(WaitId wait, std::uint64_t right) {
  Thread& thread = thread_of(wait);
  const Step& step = step_of(thread);
  SIM_CHECK(thread.state == State::kWaiting && step.kind == Step::Kind::kBeginSum,
            "thread {} gets a right unasked", thread.index);
  LockState& lock = locks_[step.lock];
  --lock.users;
  thread.right = right;
  oracle_.acquire(thread.index, lock.released);
  next_step(thread);
}

// What is read counts if the sum is added: else it is read again.
void World::take_term(Thread& thread, const Step& step) {
  if (!touch(thread, step.what)) return;
  const Cell& cell = program_.plan.cells[step.what];
  const ByteView seen = node_at(thread).memory->read(cell.where, cell.size);
  std::memcpy(&thread.term, seen.data(), sizeof thread.term);
  next_step(thread);
}

void World::add_sum(Thread& thread, const Step& step) {
  std::vector<AddingInput> inputs;
  std::uint64_t term = 1;
  if (step.term >= 0) {
    term = thread.term;
    inputs.push_back({program_.plan.cells[static_cast<CellIndex>(step.term)].where, 8});
  }
  std::memcpy(thread.atomic.operand, &term, sizeof term);
  AddingResult result{};
  enter(node_at(thread), [&](Engine& engine) {
    result =
        engine.handle_add(program_.locks[step.lock], thread.right, {{&thread.atomic, 1}, inputs});
  });
  if (result == AddingResult::kBeginAgain) {
    while (step_of(thread).kind != Step::Kind::kBeginSum) --thread.at;
    return;
  }
  if (result == AddingResult::kTakeLock) return next_step(thread);
  LockState& lock = locks_[step.lock];
  SIM_CHECK(lock.holder < 0, "thread {} adds while thread {} holds lock {}", thread.index,
            lock.holder, step.lock);
  if (step.term >= 0) {
    oracle_.check_read(thread.index, static_cast<CellIndex>(step.term),
                       std::as_bytes(std::span(&term, 1)));
  }
  oracle_.note_atomic(thread.index, step.what, true);
  oracle_.set_value(step.what, oracle_.value(step.what) + term);
  join(lock.added, oracle_.release(thread.index));
  skip_behind(thread, Step::Kind::kUnlock);
  next_step(thread);
}

}  // namespace weft::sim::explore
