// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the threads of a small program do, step by step.
#include <algorithm>
#include <cstring>

#include "sim/checkers/failure.hpp"
#include "sim/explore/world_node.hpp"

namespace weft::sim::explore {
namespace {

using Kind = Step::Kind;

// What a step writes: the same in every schedule, and unlike what any other step writes. No byte
// of it is zero, so that every byte differs from what was there.
std::uint64_t value_of(unsigned thread, unsigned turn, unsigned at) {
  std::uint64_t mixed = (thread * 1'000'003ULL + turn) * 1'000'033ULL + at + 1;
  mixed *= 0xbf58476d1ce4e5b9U;
  mixed ^= mixed >> 29;
  return mixed | 0x0101010101010101U;
}

MemoryUse use_of(Kind kind) {
  if (kind == Kind::kReplace) return MemoryUse::kReplaces;
  return kind == Kind::kOwn ? MemoryUse::kOwns : MemoryUse::kLoads;
}

}  // namespace

const std::vector<Step>& World::steps_of(const Thread& thread) const {
  if (!thread.is_outsider) return program_.team[thread.index];
  return program_.outsiders[thread.index - program_.plan.team_size()].steps;
}

const Step& World::step_of(const Thread& thread) const { return steps_of(thread)[thread.at]; }

bool World::is_due(const Thread& thread, const Step& step) const {
  return std::ranges::all_of(step.when, [&](Step::When when) { return is_turn(thread, when); });
}

bool World::is_turn(const Thread& thread, Step::When when) const {
  switch (when) {
    case Step::When::kEven:
      return thread.turn % 2 == 0;
    case Step::When::kOdd:
      return thread.turn % 2 == 1;
    case Step::When::kFourth:
      return thread.turn % 4 == 3;
    case Step::When::kOld:
      return thread.turn < program_.warm;
    case Step::When::kNew:
      return thread.turn >= program_.warm;
    case Step::When::kLast:
      return thread.turn + 1 == program_.last_turn();
  }
  return true;
}

void World::skip_what_is_not_due(Thread& thread) {
  while (thread.turn < program_.last_turn()) {
    if (thread.at == steps_of(thread).size()) {
      thread.at = 0;
      ++thread.turn;
    } else if (step_of(thread).kind == Kind::kEnd || !is_due(thread, step_of(thread))) {
      ++thread.at;
    } else {
      return;
    }
  }
  thread.state = State::kDone;
}

// Goes on behind the next step of this kind.
void World::skip_behind(Thread& thread, Kind kind) {
  while (step_of(thread).kind != kind) ++thread.at;
}

void World::next_step(Thread& thread) {
  thread.state = State::kReady;
  ++thread.at;
  skip_what_is_not_due(thread);
}

void World::run_step(Thread& thread) {
  const Step& step = step_of(thread);
  thread.is_fresh = false;
  if (print_) {
    say(fmt::format("thread {} of node {}, turn {}: {}", thread.index, thread.node, thread.turn,
                    step.text));
  }
  switch (step.kind) {
    case Kind::kTakeTerm:
      return take_term(thread, step);
    case Kind::kAddSum:
      return add_sum(thread, step);
    case Kind::kRead:
    case Kind::kReadTerm:
    case Kind::kReadMax:
      if (!touch(thread, step.what)) return;
      read(thread, step);
      return next_step(thread);
    case Kind::kWrite:
    case Kind::kZero:
    case Kind::kWriteMax:
    case Kind::kWriteSum:
      if (!touch(thread, step.what)) return;
      write(thread, step);
      return next_step(thread);
    case Kind::kUnlock:
      return unlock(thread, step);
    case Kind::kAdvance:
      return advance(thread, step);
    case Kind::kPost:
      return post(thread, step);
    case Kind::kTake:
      return take_post(thread);
    case Kind::kMove:
      return move(thread, NodeId(static_cast<std::uint16_t>(step.what)));
    case Kind::kReceive:
      return receive(thread);
    case Kind::kFlush:
      next_step(thread);
      return enter(node_at(thread), [](Engine& engine) { engine.handle_flush(); });
    case Kind::kEvict:
      next_step(thread);
      return enter(node_at(thread),
                   [&](Engine& engine) { engine.handle_memory_pressure(step.what, true); });
    case Kind::kOverwrite:
    case Kind::kCommit:
    case Kind::kPrefetch:
    case Kind::kReplace:
    case Kind::kOwn:
    case Kind::kNameData:
      next_step(thread);
      return say_of_page(node_at(thread), step);
    default:
      return run_waiting_step(thread, step);
  }
}

// What a thread says of a page that it uses.
void World::say_of_page(Node& node, const Step& step) {
  const PageIndex page = program_.plan.cells[step.what].where.page();
  if (step.kind == Kind::kOverwrite) return node.overwrite(page);
  if (step.kind == Kind::kCommit) return node.commit(page);
  if (step.kind == Kind::kNameData) return node.name_data(program_.locks[step.lock], page);
  node.prefetch(page, use_of(step.kind));
}

// Those that end with a completion.
void World::run_waiting_step(Thread& thread, const Step& step) {
  thread.state = State::kWaiting;
  const WaitId wait = wait_of(thread);
  switch (step.kind) {
    case Kind::kLock:
    case Kind::kTry:
      return start_lock(thread, step);
    case Kind::kBeginSum:
      return begin_sum(thread, step);
    case Kind::kAwait:
      return await(thread, step);
    case Kind::kGather:
      node_at(thread).waiting = thread.index;
      return enter(node_at(thread), [&](Engine& engine) { engine.handle_gather(wait); });
    case Kind::kBarrier:
      return reach_barrier(thread, step);
    case Kind::kFence:
      return enter(node_at(thread), [&](Engine& engine) { engine.handle_fence(wait); });
    case Kind::kPublish:
      return publish(thread, step);
    default:
      return start_atomic(thread, step);
  }
}

// True if the cell's page is there; else the thread waits for it.
bool World::touch(Thread& thread, CellIndex cell) {
  Node& node = node_at(thread);
  const PageIndex page = program_.plan.cells[cell].where.page();
  if (node.memory->access(page) != Memory::Access::kAbsent) return true;
  thread.state = State::kFault;
  thread.faulted = page;
  enter(node, [&](Engine& engine) { engine.handle_fault(page, thread.local); });
  return false;
}

void World::read(Thread& thread, const Step& step) {
  const Cell& cell = program_.plan.cells[step.what];
  const ByteView seen = node_at(thread).memory->read(cell.where, cell.size);
  std::uint64_t& value = step.kind == Kind::kReadTerm ? thread.term : thread.value;
  std::memcpy(&value, seen.data(), sizeof value);
  oracle_.check_read(thread.index, step.what, seen);
}

void World::write(Thread& thread, const Step& step) {
  const Cell& cell = program_.plan.cells[step.what];
  std::uint64_t value = value_of(thread.index, thread.turn, thread.at);
  if (step.kind == Kind::kZero) value = 0;
  if (step.kind == Kind::kWriteSum) value = thread.value + (step.term < 0 ? 1 : thread.term);
  if (step.kind == Kind::kWriteMax && thread.value >= value) {
    (void)oracle_.release(thread.index);  // takes a step, as the write would
    return;
  }
  const ByteView bytes = std::as_bytes(std::span(&value, 1));
  node_at(thread).memory->write(cell.where, bytes);
  oracle_.note_write(thread.index, step.what, bytes);
}

void World::start_lock(Thread& thread, const Step& step) {
  LockState& lock = locks_[step.what];
  const LockId id = program_.locks[step.what];
  // Every other thread has found the lock held, and comes to the engine when it may be free again.
  const bool is_taken = thread.index % 2 == 0 && node_at(thread).entrusted_locks.take(id);
  if (step.kind == Kind::kLock) {
    ++lock.users;
    lock.mark_in_use();
    if (is_taken) return on_complete(wait_of(thread));
    return enter(node_at(thread),
                 [&](Engine& engine) { engine.handle_acquire(id, wait_of(thread)); });
  }
  // Another try under way may be the one that succeeds.
  const bool contended = lock.users > 0 || !lock.tries.empty();
  lock.mark_in_use();
  lock.tries[thread.index] = contended;
  if (is_taken) return on_complete_try(wait_of(thread), true);
  enter(node_at(thread), [&](Engine& engine) { engine.handle_try_acquire(id, wait_of(thread)); });
}

void World::unlock(Thread& thread, const Step& step) {
  LockState& lock = locks_[step.what];
  SIM_CHECK(lock.holder == thread.index, "thread {} releases lock {} of thread {}", thread.index,
            step.what, lock.holder);
  lock.holder = -1;
  --lock.users;
  lock.released = oracle_.release(thread.index);
  next_step(thread);
  const LockId id = program_.locks[step.what];
  if (node_at(thread).entrusted_locks.give_up(id)) return;
  enter(node_at(thread), [&](Engine& engine) { engine.handle_release(id); });
}

// A turn's counts are above those of the turns before.
std::uint64_t World::count_of(const Thread& thread, const Step& step) {
  constexpr std::uint64_t kCountsATurn = 8;
  return thread.turn * kCountsATurn + step.count;
}

void World::advance(Thread& thread, const Step& step) {
  const std::uint64_t count = count_of(thread, step);
  const SequencerId id = program_.sequencers[step.what];
  advanced_[{step.what, count}] = oracle_.release(thread.index);
  advanced_.erase(advanced_.lower_bound({step.what, 0}),
                  advanced_.lower_bound({step.what, std::max<std::uint64_t>(count, 16) - 16}));
  counts_[step.what] = count;
  next_step(thread);
  enter(node_at(thread), [&](Engine& engine) { engine.handle_advance(id, count); });
}

// Who has been told of a higher count need not ask.
void World::await(Thread& thread, const Step& step) {
  const std::uint64_t count = count_of(thread, step);
  if (thread.counts[step.what] >= count) return next_step(thread);
  const SequencerId id = program_.sequencers[step.what];
  enter(node_at(thread), [&](Engine& engine) { engine.handle_await(id, count, wait_of(thread)); });
}

void World::post(Thread& thread, const Step& step) {
  const std::uint64_t number = ++posts_sent_;
  posts_[number] = oracle_.release(thread.index);
  Bytes payload;
  ByteWriter(payload).varint(number);
  next_step(thread);
  const NodeId to(static_cast<std::uint16_t>(step.what));
  enter(node_at(thread), [&](Engine& engine) { engine.handle_post(to, payload); });
}

// By a post with the number 0, and its index.
void World::move(Thread& thread, NodeId to) {
  thread.state = State::kWaiting;
  Bytes payload;
  ByteWriter writer(payload);
  writer.varint(0);
  writer.varint(thread.index);
  enter(node_at(thread), [&](Engine& engine) { engine.handle_post(to, payload); });
}

void World::on_post(Node& node, ByteView payload) {
  ByteReader reader(payload);
  const std::uint64_t number = reader.varint();
  if (number == 0) {
    Thread& mover = threads_[reader.varint()];
    mover.node = node.id.value();
    return next_step(mover);
  }
  SIM_CHECK(reader.finished() && posts_.contains(number), "node {} gets a wrong post",
            node.id.value());
  node.posts.push_back(number);
}

void World::take_post(Thread& thread) {
  Node& node = node_at(thread);
  if (node.posts.empty()) {
    thread.state = State::kParked;
    return;
  }
  const auto taken = posts_.find(node.posts.front());
  oracle_.acquire(thread.index, taken->second);
  posts_.erase(taken);
  node.posts.erase(node.posts.begin());
  next_step(thread);
}

void World::publish(Thread& thread, const Step& step) {
  published_ = oracle_.release(thread.index);
  enter(node_at(thread), [&](Engine& engine) {
    engine.handle_publish({}, step.next, has_outsiders(thread.node), wait_of(thread));
  });
}

void World::receive(Thread& thread) {
  if (node_at(thread).publications == thread.publications) {
    thread.state = State::kParked;
    return;
  }
  ++thread.publications;
  oracle_.acquire(thread.index, published_);
  next_step(thread);
}

// They look again.
void World::wake_parked(Node& node) {
  for (Thread& thread : threads_) {
    if (thread.node != node.id.value() || thread.state != State::kParked) continue;
    const bool takes = step_of(thread).kind == Kind::kTake;
    const bool has_come = takes ? !node.posts.empty() : node.publications > thread.publications;
    if (has_come) thread.state = State::kReady;
  }
}

}  // namespace weft::sim::explore
