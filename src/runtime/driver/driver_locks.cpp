// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locks, as threads of the program take them: by one instruction where the engine has entrusted
// them to this node's threads (protocol/locks.md, 23), else through the engine.
#include "runtime/driver/driver.hpp"
#include "runtime/output/output_order.hpp"

namespace weft {
namespace {

// A thread that gives up entrusted locks polls in passing once in so many times, and one that adds.
constexpr unsigned kEntrustedPerPoll = 64, kAddedPerPoll = 16;
constinit thread_local unsigned given_up = 0, added = 0;

// How long a sum under a lock may stay on this node if nothing else makes it go. It is for who
// looks without the lock alone: who takes it has the sum with it. And each time takes the processor
// from a thread that computes.
constexpr std::int64_t kSumNanoseconds = 20'000'000;

}  // namespace

// To take a lock and to give it up are fences.
bool Driver::take_entrusted(LockId lock, bool may_wait) {
  if (!(may_wait ? entrusted_locks_.take_soon(lock) : entrusted_locks_.take(lock))) return false;
  note_flush_behind_fence();
  return true;
}

// While other threads of this node hold it.
bool Driver::await_entrusted(LockId lock) {
  if (!entrusted_locks_.has(lock)) return false;
  const board::Waiting waiting(board::WaitKind::kLock, lock.value());
  const PollingDuty::Sleeping sleeping(duty_);
  board::note_sleep();
  while (entrusted_locks_.sleep_while_held(lock)) {
    if (!entrusted_locks_.take_awaited(lock)) continue;
    note_flush_behind_fence();
    return true;
  }
  return false;
}

bool Driver::give_up_entrusted(LockId lock) {
  if (!entrusted_locks_.give_up(lock)) return false;
  note_flush_behind_fence();
  given_up = given_up + 1;
  return true;
}

bool Driver::take_at_once(LockId lock, const void* place, const void* site) {
  if (!take_entrusted(lock, true)) return false;
  board::note_taken(lock.value(), place, site);
  return true;
}

bool Driver::give_up_at_once(LockId lock) {
  const bool is_to_poll = (given_up + 1) % kEntrustedPerPoll == 0;
  if (is_to_poll || has_output_to_order() || !give_up_entrusted(lock)) return false;
  board::note_given_up(lock.value());
  return true;
}

// Returns the right to add that came in place of the lock, or 0.
template <typename Operation>
std::uint64_t Driver::acquire_by(LockId lock, const Operation& ask_engine) {
  while (!take_entrusted(lock, true) && !await_entrusted(lock)) {
    Wait wait;
    run(wait, board::WaitKind::kLock, lock.value(), ask_engine);
    if (wait.right != 0) return wait.right;
    if (!wait.tries_again) break;
  }
  board::note_taken(lock.value());
  return 0;
}

void Driver::acquire(LockId lock) {
  acquire_by(lock, [&](WaitId id) { engine_.handle_acquire(lock, id); });
}

std::uint64_t Driver::acquire_adding(LockId lock, const AddingTargets& targets) {
  return acquire_by(lock, [&](WaitId id) {
    if (rest_.has_outside_threads() || alone_.is_alone()) return engine_.handle_acquire(lock, id);
    engine_.handle_acquire_adding(lock, targets, id);
  });
}

std::uint64_t Driver::right_at_once(LockId lock) { return entrusted_locks_.right_of(lock); }

// Threads outside the team know of each other by more than barriers. Behind a fence of the
// program's, what a thread writes is in order with what it stores.
AddingResult Driver::add(LockId lock, std::uint64_t right, const AddingSection& section) {
  if (is_behind_fence() || rest_.has_outside_threads()) return AddingResult::kTakeLock;
  order_output_for_others();
  const std::lock_guard guard(lock_);
  tell_of_flushes();
  if (alone_.is_alone()) return AddingResult::kTakeLock;
  const AddingResult result = engine_.handle_add(lock, right, section);
  if (result != AddingResult::kAdded) return result;
  rouse();
  flush_within(kSumNanoseconds);
  added = added + 1;
  if (added % kAddedPerPoll == 0) poll_in_passing();
  return result;
}

bool Driver::try_acquire(LockId lock) {
  Wait wait;
  wait.taken = take_entrusted(lock, false);
  if (!wait.taken) {
    run(wait, board::WaitKind::kLock, lock.value(),
        [&](WaitId id) { engine_.handle_try_acquire(lock, id); });
  }
  if (wait.taken) board::note_taken(lock.value());
  return wait.taken;
}

void Driver::release(LockId lock) {
  order_output_for_others();
  board::note_given_up(lock.value());
  if (give_up_entrusted(lock)) {
    if (given_up % kEntrustedPerPoll != 0 || !lock_.try_lock()) return;
    const std::lock_guard guard(lock_, std::adopt_lock);
    return poll_in_passing();
  }
  const std::lock_guard guard(lock_);
  engine_.handle_release(lock);
  poll_in_passing();
  rouse();
}

}  // namespace weft
