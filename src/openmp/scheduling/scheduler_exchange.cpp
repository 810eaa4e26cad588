// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scheduler's other half: tasks that go to other nodes and come from them.
#include <algorithm>
#include <utility>

#include "base/assert.hpp"
#include "openmp/scheduling/scheduler.hpp"
#include "openmp/tasks/descent.hpp"

namespace weft::openmp::tasks {

void Scheduler::send(NodeId to, bool releases, Bytes bytes) {
  if (releases) ++counters_.posts;
  outgoing_.push_back({to, releases, std::move(bytes)});
}

std::vector<Scheduler::Outgoing> Scheduler::take_outgoing() { return std::exchange(outgoing_, {}); }

void Scheduler::on_message(NodeId from, ByteView message) {
  if (message.empty()) fail_unreadable("a message about tasks", 0);
  const auto kind = static_cast<MessageKind>(message[0]);
  const ByteView body = message.subspan(1);
  switch (kind) {
    case MessageKind::kAsk:
      return on_ask(from, value_of<Ask>(body));
    case MessageKind::kGive:
      return on_give(from, value_of<Give>(body));
    case MessageKind::kEnded:
      return on_ended(value_of<Ended>(body));
    case MessageKind::kFulfil:
      return on_fulfil(value_of<SchedulerNotice>(body).number);
    case MessageKind::kCancel:
      return on_cancel(value_of<SchedulerNotice>(body).number);
    case MessageKind::kUsed:
    case MessageKind::kQuiet:
    case MessageKind::kGo:
      break;  // quiet_phase.hpp
  }
  fail_unreadable("a message about tasks", message.size());
}

// --- asking ---

// All other nodes, or a task could wait in the queue of one whose threads are busy, or may not
// execute it because of what they have suspended.
void Scheduler::ask(unsigned thread, const Task* waiting) {
  const Ask ask{coming_barrier_, waiting == nullptr ? threads_ : thread,
                waiting == nullptr ? 0 : waiting->number};
  for (unsigned distance = 1; distance < nodes_; ++distance) {
    ask_node(NodeId(static_cast<NodeId::representation>((self_.value() + distance) % nodes_)), ask);
  }
}

void Scheduler::ask_node(NodeId node, const Ask& ask) {
  const auto [asked, is_new] = asked_.try_emplace({node, ask.asker}, ask);
  if (!is_new && asked->second == ask) return;
  asked->second = ask;
  ++counters_.asked;
  send(node, false, to_bytes(MessageKind::kAsk, ask));
}

void Scheduler::on_ask(NodeId from, const Ask& ask) {
  if (ask.barrier < coming_barrier_) return;
  std::erase_if(hungry_,
                [&](const Hungry& h) { return h.node == from && h.ask.asker == ask.asker; });
  const Hungry hungry{from, ask};
  if (ask.barrier == coming_barrier_ && give_to(hungry)) return;
  hungry_.push_back(hungry);
}

// --- giving ---

void Scheduler::serve_hungry() {
  if (hungry_.empty() || queue_.size() == 0) return;
  std::erase_if(hungry_, [&](const Hungry& hungry) {
    return hungry.ask.barrier == coming_barrier_ && give_to(hungry);
  });
}

void Scheduler::end_waiting(const Task& suspended) {
  waiting_.erase(std::ranges::find(waiting_, &suspended));
}

// Half of what this node's own idle threads leave. A range of chunks counts as so many tasks. For
// each thread that waits in a suspended task one stays that it may execute: else two nodes could
// send it to and fro, each before its thread has seen it.
bool Scheduler::give_to(const Hungry& hungry) {
  constexpr std::size_t kMostTasks = 64;
  const std::uint64_t chunks = queue_.size() + more_chunks_;
  if (chunks <= idle_) return false;
  std::uint64_t budget = (chunks - idle_ + 1) / 2;
  Give give{hungry.ask.barrier, hungry.ask.asker, {}};
  std::vector<const Task*> waiting = waiting_;
  std::vector<const Task*> reserved;
  const auto must_stay = [&](const Task& task) {
    if (task.stays || std::ranges::count(reserved, &task) > 0) return true;
    const auto taker =
        std::ranges::find_if(waiting, [&](const Task* t) { return may_take(task, t); });
    if (taker == waiting.end()) return false;
    waiting.erase(taker);
    reserved.push_back(&task);
    return true;
  };
  while (budget > 0 && give.tasks.size() < kMostTasks) {
    Task* task = queue_.take_oldest([&](Task& candidate) {
      return may_give(candidate, hungry.ask.descendants_of) && !must_stay(candidate) &&
             (candidate.dependence == nullptr || candidate.dependence->try_exclude());
    });
    if (task == nullptr) break;
    std::uint64_t count = 1;
    if (task->range != nullptr) {
      more_chunks_ -= task->range->count - 1;
      count = std::min(budget, task->range->count);
      if (count < task->range->count) {
        Task& piece = split(*task, count);
        make_ready(*task, queue_.nobody());
        task = &piece;
      }
    }
    budget -= count;
    give.tasks.push_back(give_away(*task));
  }
  if (give.tasks.empty()) return false;
  counters_.given += give.tasks.size();
  send(hungry.node, true, to_bytes(MessageKind::kGive, give));
  return true;
}

GivenTask Scheduler::give_away(Task& task) {
  GivenTask given;
  // What is left of a range that came from elsewhere is this node's to account for.
  const bool is_guest = task.number == task.root->origin;
  if (is_guest && task.range != nullptr) task.number = next_number();
  given.number = task.number;
  given.level = task.level;
  given.ancestors = ancestors_of(task);
  given.groups = names_from(task.group);
  given.cancelled = is_cancelled(task);
  given.tied = task.tied;
  given.is_final = task.is_final;
  given.has_destructors = task.has_destructors;
  given.priority = task.priority;
  given.block = reinterpret_cast<std::uintptr_t>(task.block);
  given.routine = task.routine;
  given.is_range = task.range != nullptr;
  if (task.tool != nullptr) {
    given.has_tool_data = true;
    given.tool_data = task.tool->data->value;
    given.tool_flags = static_cast<std::uint32_t>(task.tool->flags);
    given.block_bytes = task.block_bytes;
  }
  if (given.is_range) {
    given.shape = *task.range->shape;
    given.first = task.range->first;
    given.count = task.range->count;
  }
  if (is_guest && !given.is_range) {
    // Another node's task that has not begun: its owner need not know who executes it.
    guests_.erase(task.number);
    delete &task;
  } else {
    task.is_away = true;
    away_[task.number] = &task;
  }
  return given;
}

// --- receiving ---

void Scheduler::on_give(NodeId from, const Give& give) {
  asked_.erase({from, give.asker});
  counters_.received += give.tasks.size();
  for (const GivenTask& given : give.tasks) receive(given);
  serve_hungry();
}

void Scheduler::receive(const GivenTask& given) {
  if (const auto own = away_.find(given.number); own != away_.end()) {
    // One of this node's own that nobody has begun.
    Task& task = *own->second;
    away_.erase(own);
    task.is_away = false;
    task.cancelled |= given.cancelled;
    if (task.dependence != nullptr) task.dependence->end_exclusion();
    return make_ready(task, queue_.nobody());
  }
  auto root = std::make_unique<Root>();
  root->origin = given.number;
  root->bodies = 1;
  if (!given.groups.empty()) {
    root->group = std::make_unique<Group>();
    root->group->elsewhere = given.groups;
    root->group->cancelled = std::ranges::any_of(
        given.groups, [&](const GroupName& group) { return cancelled_.contains(group.number); });
  }
  auto* task = new Task;
  task->number = given.number;
  task->ancestors = std::make_shared<const std::vector<Number>>(given.ancestors);
  task->level = given.level;
  task->root = root.get();
  task->group = task->open_group = root->group.get();
  task->block = reinterpret_cast<void*>(given.block);
  task->routine = given.routine;
  task->priority = given.priority;
  task->tied = given.tied;
  task->is_final = given.is_final;
  task->has_destructors = given.has_destructors;
  task->cancelled = given.cancelled;
  if (given.has_tool_data) {
    task->tool = std::make_unique<tools::ToolTask>();
    task->tool->data->value = given.tool_data;
    task->tool->flags = static_cast<int>(given.tool_flags);
    task->block_bytes = given.block_bytes;
  }
  if (given.is_range) {
    task->range = std::make_unique<TaskloopRange>();
    task->range->shape = std::make_shared<const TaskloopShape>(given.shape);
    task->range->first = given.first;
    task->range->count = given.count;
  }
  const bool is_new = guests_.emplace(given.number, std::move(root)).second;
  WEFT_ASSERT(is_new, "task {:x} was given to this node twice", given.number);
  count(*task);
  make_ready(*task, queue_.nobody());
}

void Scheduler::on_ended(const Ended& ended) {
  const auto found = away_.find(ended.number);
  WEFT_ASSERT(found != away_.end(), "task {:x} has ended, which nobody had", ended.number);
  Task& task = *found->second;
  for (const GroupCopies& group : ended.copies) {
    Copies& copies = copies_[group.group];
    for (const ReductionCopy& copy : group.copies) copies.copies.push_back({kOtherNode, copy});
    use_copies(*task.root, group.group);
  }
  task.subtree_ended |= ended.subtree;
  if (ended.body) {
    task.body_ended = true;
    if (!task.event_pending) complete(task, queue_.nobody());
  } else if (task.complete) {
    settle(task);
  }
  serve_hungry();
}

void Scheduler::on_fulfil(Number event) {
  const Task* const task = task_of_event(event);
  if (task == nullptr || task->tool == nullptr) return fulfil(event);
  fulfilled_elsewhere_.push_back(event);
  ++changes_;
}

std::vector<Number> Scheduler::take_fulfilled_elsewhere() {
  return std::exchange(fulfilled_elsewhere_, {});
}

// --- cancellation ---

void Scheduler::cancel_group(Task& task) {
  const Group* const group = task.open_group;
  if (group == nullptr) return;
  const Number number =
      group->elsewhere.empty() ? group->name.number : group->elsewhere.front().number;
  on_cancel(number);
  for (NodeId node; node.value() < nodes_; ++node) {
    if (node != self_)
      send(node, false, to_bytes(MessageKind::kCancel, SchedulerNotice{number, true}));
  }
}

void Scheduler::on_cancel(Number number) {
  if (!cancelled_.insert(number).second) return;
  if (const auto own = groups_.find(number); own != groups_.end()) own->second->cancelled = true;
  for (auto& [origin, root] : guests_) {
    if (root->group == nullptr) continue;
    for (const GroupName& group : root->group->elsewhere) {
      if (group.number == number) root->group->cancelled = true;
    }
  }
}

// --- reductions ---

std::uintptr_t Scheduler::find_copy(Task& task, Number group, unsigned thread, std::uint32_t item) {
  const auto found = copies_.find(group);
  if (found == copies_.end()) return 0;
  for (const OwnedCopy& owned : found->second.copies) {
    if (owned.thread != thread || owned.copy.item != item) continue;
    use_copies(*task.root, group);
    return owned.copy.address;
  }
  return 0;
}

void Scheduler::add_copy(Task& task, Number group, unsigned thread, ReductionCopy copy) {
  copies_[group].copies.push_back({thread, copy});
  use_copies(*task.root, group);
}

// Copies go to the group's node when the last task here that has used them has ended.
void Scheduler::use_copies(Root& root, Number group) {
  if (node_of(group) == self_ || std::ranges::count(root.reductions, group) > 0) return;
  root.reductions.push_back(group);
  ++copies_[group].roots;
}

std::vector<GroupCopies> Scheduler::take_copies_of(Root& root) {
  std::vector<GroupCopies> result;
  for (const Number group : root.reductions) {
    Copies& copies = copies_[group];
    if (--copies.roots > 0) continue;
    GroupCopies& handed = result.emplace_back();
    handed.group = group;
    for (const OwnedCopy& owned : copies.copies) handed.copies.push_back(owned.copy);
    copies_.erase(group);
  }
  return result;
}

std::vector<ReductionCopy> Scheduler::take_copies(Number group) {
  std::vector<ReductionCopy> result;
  const auto found = copies_.find(group);
  if (found == copies_.end()) return result;
  for (const OwnedCopy& owned : found->second.copies) result.push_back(owned.copy);
  copies_.erase(found);
  return result;
}

}  // namespace weft::openmp::tasks
