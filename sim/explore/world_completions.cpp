// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations of the small program's threads that end when the engine says so, and what must hold
// then.
#include <algorithm>
#include <cstring>
#include <utility>

#include "sim/checkers/atomic_model.hpp"
#include "sim/checkers/failure.hpp"
#include "sim/explore/world_node.hpp"

namespace weft::sim::explore {
namespace {

using Kind = Step::Kind;

// Each thread counts in a byte of its own.
std::uint64_t one_of(unsigned thread) { return std::uint64_t{1} << 8 * thread; }
std::uint64_t part_of(std::uint64_t value, unsigned thread) { return value >> 8 * thread & 0xff; }

bool votes_for(unsigned node, unsigned barrier) { return (node + barrier) % 3 != 0; }

}  // namespace

void World::start_atomic(Thread& thread, const Step& step) {
  AtomicRequest& request = thread.atomic;
  request = AtomicRequest{};
  request.where = program_.plan.cells[step.what].where;
  request.size = sizeof(std::uint64_t);
  Ordering ordering = step.ordering;
  const std::uint64_t before = oracle_.value(step.what);
  std::uint64_t operand = 0;
  if (step.kind != Kind::kPeek) {
    oracle_.note_atomic(thread.index, step.what, step.kind != Kind::kSee);
  }
  if (step.kind == Kind::kPeek) {
    request.operation = AtomicOperation::kLoad;
  } else if (step.kind == Kind::kSee) {
    ordering = step.by_flush || step.is_silent ? Ordering::kRelaxed : Ordering::kAcquire;
    operand = thread.turn;  // what is seen before it is stored
  } else if (step.kind == Kind::kStore) {
    request.operation = AtomicOperation::kStore;
    const bool in_no_order = step.is_silent || (step.by_flush && !step.confirms);
    ordering = in_no_order ? Ordering::kRelaxed : Ordering::kRelease;
    operand = thread.turn + 1;
    if (!step.is_silent) flags_[step.what] = oracle_.release(thread.index);
    if (step.by_flush) enter(node_at(thread), [](Engine& engine) { engine.note_flush(); });
    oracle_.set_value(step.what, operand);
  } else {
    request.operation = AtomicOperation::kAdd;
    operand = one_of(thread.index);
    thread.value = part_of(before, thread.index);
    oracle_.set_value(step.what, before + operand);
  }
  std::memcpy(request.operand, &operand, sizeof operand);
  if (step.kind == Kind::kMerge && merge(thread)) return next_step(thread);
  enter(node_at(thread), [&](Engine& engine) {
    engine.handle_atomic(request, ordering, wait_of(thread), step.is_patient);
  });
  if (step.hurries)
    enter(node_at(thread), [&](Engine& engine) { engine.handle_hurry(wait_of(thread)); });
}

bool World::merge(Thread& thread) {
  bool merged = false;
  enter(node_at(thread), [&](Engine& engine) { merged = engine.handle_merge(thread.atomic); });
  return merged;
}

void World::on_complete_atomic(WaitId wait, const AtomicResult& result) {
  Thread& thread = thread_of(wait);
  SIM_CHECK(thread.state == State::kWaiting, "thread {} gets an atomic's result unasked",
            thread.index);
  const Step& step = step_of(thread);
  if (step.kind == Kind::kCount || step.kind == Kind::kMerge) check_count(thread, step, result);
  if (step.kind != Kind::kSee) return next_step(thread);
  end_look(thread, step, result, wait);
}

void World::end_look(Thread& thread, const Step& step, const AtomicResult& result, WaitId wait) {
  std::uint64_t seen = 0;
  std::memcpy(&seen, result.before, sizeof seen);
  SIM_CHECK(seen <= oracle_.value(step.what), "thread {} sees {} in a flag that is {}",
            thread.index, seen, oracle_.value(step.what));
  const bool is_there = seen > thread.turn;
  if (step.is_unless) {
    if (is_there) skip_behind(thread, Kind::kEnd);
  } else if (!is_there) {
    skip_behind(thread, Kind::kEnd);
  } else if (step.by_flush) {
    // It flushes then, and waits until that is done.
    const FlushKind kind = step.confirms ? FlushKind::kConfirms : FlushKind::kAsks;
    return enter(node_at(thread), [&](Engine& engine) { engine.handle_fence(wait, kind); });
  } else if (!step.is_silent) {
    oracle_.acquire(thread.index, flags_[step.what]);
  }
  next_step(thread);
}

// It finds all that this thread has added before, and no more than others have.
void World::check_count(const Thread& thread, const Step& step, const AtomicResult& result) {
  std::uint64_t before = 0;
  std::memcpy(&before, result.before, sizeof before);
  const std::uint64_t most = oracle_.value(step.what);
  for (unsigned other = 0; other < threads_.size(); ++other) {
    const bool is_right = other == thread.index ? part_of(before, other) == thread.value
                                                : part_of(before, other) <= part_of(most, other);
    SIM_CHECK(is_right, "thread {} finds the count {:x}, where {:x} was added", thread.index,
              before, most);
  }
}

// The threads of a node meet first; the last of them takes the node to the barrier of all.
void World::reach_barrier(Thread& thread, const Step& step) {
  Node& node = node_at(thread);
  BarrierState& barrier = barriers_[thread.barriers];
  Clock released = oracle_.release(thread.index);
  join(barrier.clock, released);
  ++barrier.arrived;
  if (++node.arrived < program_.plan.threads_per_node) return;
  node.arrived = 0;
  node.in_barrier = true;
  node.brings_memory = step.brings_memory;
  node.arrival = std::move(released);
  BarrierInput input;
  input.next = step.next;
  node.waiting = thread.index;
  if (step.votes && votes_for(thread.node, thread.barriers)) {
    input.votes = static_cast<std::uint8_t>(1U << thread.node % 8);
  }
  barrier.votes |= input.votes;
  input.contribution = std::exchange(node.contribution, {});
  input.release_to_parent = step.brings_memory;
  input.others_here = has_outsiders(thread.node);
  input.precedes_publication = step.holds;
  input.threads_wait = thread.node == 0 || !step.holds;
  enter(node, [&](Engine& engine) { engine.handle_barrier(wait_of(thread), std::move(input)); });
}

// A thread that may go on does so first.
bool World::looks_for_others(const Node& node) const {
  return node.engine.is_meeting() && threads_[node.waiting].state != State::kReady;
}

// It sees that others have come, or waits no longer: either is something that happens.
void World::look_for_others(Node& node) {
  if (print_) say(fmt::format("node {} looks for others", node.id.value()));
  enter(node, [](Engine& engine) { engine.handle_meeting(false); });
  if (!node.engine.is_meeting()) return;
  if (print_) say(fmt::format("  node {}: gives up", node.id.value()));
  enter(node, [](Engine& engine) { engine.handle_meeting(true); });
}

void World::on_complete_barrier(Node& node, WaitId wait, std::uint8_t votes) {
  const unsigned number = thread_of(wait).barriers;
  BarrierState& barrier = barriers_[number];
  SIM_CHECK(node.in_barrier, "node {} leaves a barrier unasked", node.id.value());
  SIM_CHECK(barrier.arrived == program_.plan.team_size(),
            "node {} leaves a barrier before all have arrived", node.id.value());
  SIM_CHECK(votes == barrier.votes, "node {} gets the votes {} for {}", node.id.value(), votes,
            barrier.votes);
  if (print_) say(fmt::format("  node {}: leaves the barrier", node.id.value()));
  node.in_barrier = false;
  for (Thread& thread : threads_) {
    if (thread.node != node.id.value() || thread.is_outsider) continue;
    oracle_.acquire(thread.index, barrier.clock);
    ++thread.barriers;
    next_step(thread);
    thread.is_fresh = true;
  }
  const bool all_left = std::ranges::all_of(threads_, [number](const Thread& thread) {
    return thread.is_outsider || thread.barriers > number;
  });
  if (all_left) barriers_.erase(number);
}

void World::on_complete_gather(Node& node, WaitId wait,
                               const std::vector<Contribution>& contributions) {
  Thread& thread = thread_of(wait);
  node.contribution = {static_cast<std::byte>(node.id.value())};
  for (const Contribution& contribution : contributions) {
    node.contribution.insert(node.contribution.end(), contribution.bytes.begin(),
                             contribution.bytes.end());
  }
  for (std::size_t index = 1; index < node.contribution.size(); ++index) {
    const auto from = std::to_integer<std::size_t>(node.contribution[index]);
    SIM_CHECK(from < nodes_.size(), "node {} gets a wrong contribution", node.id.value());
    if (nodes_[from]->brings_memory) oracle_.acquire(thread.index, nodes_[from]->arrival);
  }
  SIM_CHECK(node.id != NodeId(0) || node.contribution.size() == nodes_.size(),
            "node 0 has the contributions of {} nodes", node.contribution.size());
  next_step(thread);
}

void World::on_complete(WaitId wait) {
  Thread& thread = thread_of(wait);
  SIM_CHECK(thread.state == State::kWaiting, "thread {} gets a completion unasked", thread.index);
  const Step& step = step_of(thread);
  if (step.kind == Kind::kLock) take_lock(thread, step.what);
  if (step.kind == Kind::kBeginSum) {
    take_lock(thread, step.lock);
    skip_behind(thread, Kind::kLock);
  }
  if (step.kind == Kind::kPublish) ++node_at(thread).publications;
  if (step.kind == Kind::kSee) oracle_.acquire(thread.index, flags_[step.what]);
  next_step(thread);
}

void World::on_complete_await(WaitId wait, std::uint64_t count) {
  Thread& thread = thread_of(wait);
  const Step& step = step_of(thread);
  SIM_CHECK(thread.state == State::kWaiting && step.kind == Kind::kAwait,
            "thread {} gets a count unasked", thread.index);
  SIM_CHECK(count >= count_of(thread, step) && count <= counts_[step.what], "{} is told to be {}",
            step.text, count);
  const auto released = advanced_.find({step.what, count});
  SIM_CHECK(released != advanced_.end(), "{}: nobody has counted to {}", step.text, count);
  oracle_.acquire(thread.index, released->second);
  thread.counts[step.what] = count;
  next_step(thread);
}

void World::on_try_again(WaitId wait) {
  Thread& thread = thread_of(wait);
  const Step& step = step_of(thread);
  SIM_CHECK(
      thread.state == State::kWaiting && (step.kind == Kind::kLock || step.kind == Kind::kBeginSum),
      "thread {} is to try again what it has not tried", thread.index);
  --locks_[step.kind == Kind::kLock ? step.what : step.lock].users;
  thread.state = State::kReady;
}

void World::on_complete_try(WaitId wait, bool taken) {
  Thread& thread = thread_of(wait);
  const Step& step = step_of(thread);
  SIM_CHECK(thread.state == State::kWaiting && step.kind == Kind::kTry,
            "thread {} gets the result of a try unasked", thread.index);
  LockState& lock = locks_[step.what];
  const bool was_in_use = lock.tries[thread.index];
  lock.tries.erase(thread.index);
  if (taken) {
    ++lock.users;
    lock.mark_in_use();
    take_lock(thread, step.what);
  } else {
    SIM_CHECK(was_in_use, "thread {} is told that a lock is not free, and it was all the time",
              thread.index);
    skip_behind(thread, Kind::kUnlock);
  }
  next_step(thread);
}

void World::take_lock(Thread& thread, std::uint32_t index) {
  LockState& lock = locks_[index];
  SIM_CHECK(lock.holder < 0, "threads {} and {} both hold lock {}", lock.holder, thread.index,
            index);
  lock.holder = thread.index;
  oracle_.acquire(thread.index, lock.released);
  oracle_.acquire(thread.index, lock.added);
}

}  // namespace weft::sim::explore
