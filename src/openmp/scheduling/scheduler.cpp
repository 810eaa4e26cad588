// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "openmp/scheduling/scheduler.hpp"

#include <algorithm>
#include <utility>

#include "base/assert.hpp"
#include "openmp/tasks/descent.hpp"

namespace weft::openmp::tasks {

Scheduler::Scheduler(NodeId self) : self_(self), number_base_(Number{self.value()} << kNodeShift) {}

Scheduler::~Scheduler() = default;

void Scheduler::begin_region(unsigned threads, unsigned nodes) {
  WEFT_ASSERT(is_quiet() && away_.empty() && guests_.empty(), "tasks are left from a region");
  threads_ = threads;
  nodes_ = nodes;
  queue_.set_threads(threads);
}

void Scheduler::set_coming_barrier(std::uint64_t barrier) {
  coming_barrier_ = barrier;
  asked_.clear();
  cancelled_.clear();
  std::erase_if(hungry_, [&](const Hungry& h) { return h.ask.barrier < barrier; });
}

void Scheduler::begin_implicit(Task& task) {
  task.number = next_number();
  task.root = &own_root_;
}

// --- creating ---

Task& Scheduler::create(Task& parent) {
  auto* task = new Task;
  task->number = next_number();
  task->parent = &parent;
  task->level = parent.level + 1;
  task->root = parent.root;
  task->group = task->open_group = parent.open_group;
  ++parent.references;
  ++counters_.created;
  return *task;
}

void Scheduler::count(Task& task) {
  if (task.parent != nullptr) ++task.parent->incomplete_children;
  if (task.group != nullptr) ++task.group->incomplete;
  ++task.root->incomplete;
}

void Scheduler::submit(Task& task, unsigned thread, std::span<const Dependence> dependences) {
  count(task);
  if (!dependences.empty()) {
    Task& parent = *task.parent;
    if (parent.children_dependences == nullptr) {
      parent.children_dependences = std::make_unique<DependenceTable>();
    }
    task.dependence = std::make_shared<DependenceNode>();
    task.dependence->task = &task;
    task.dependence->is_watched = task.tool != nullptr;
    parent.children_dependences->add(task.dependence, dependences);
    if (task.dependence->predecessors > 0) return;
  }
  make_ready(task, thread);
  serve_hungry();
}

void Scheduler::make_ready(Task& task, unsigned thread) {
  ++changes_;
  if (task.range != nullptr) more_chunks_ += task.range->count - 1;
  queue_.push(thread, task);
}

bool Scheduler::is_full() const {
  constexpr std::size_t kMostReady = 1024;
  return queue_.size() >= kMostReady;
}

Number Scheduler::make_event(Task& task) {
  task.event_pending = true;
  events_[task.number] = &task;
  return task.number;
}

void Scheduler::fulfil(Number event) {
  if (node_of(event) != self_) {
    return send(node_of(event), true,
                to_bytes(MessageKind::kFulfil, SchedulerNotice{event, false}));
  }
  Task* const task = task_of_event(event);
  if (task == nullptr) return;
  events_.erase(event);
  task->event_pending = false;
  if (task->body_ended) complete(*task, queue_.nobody());
  serve_hungry();
}

Task* Scheduler::task_of_event(Number event) {
  const auto found = events_.find(event);
  return found != events_.end() ? found->second : nullptr;
}

// --- executing ---

Task* Scheduler::take(unsigned thread, const Task* waiting) {
  Task* const task = queue_.take(thread, [&](Task& candidate) {
    return may_take(candidate, waiting) &&
           (candidate.dependence == nullptr || candidate.dependence->try_exclude());
  });
  if (task == nullptr) return nullptr;
  ++counters_.executed;
  if (task->range == nullptr) return task;
  more_chunks_ -= task->range->count - 1;
  // The first chunk for this thread; the rest in halves, for whoever comes.
  while (task->range->count > 1) make_ready(split(*task, task->range->count / 2), thread);
  serve_hungry();
  return task;
}

void Scheduler::end_body(Task& task, unsigned thread) {
  task.body_ended = true;
  if (!task.event_pending) complete(task, thread);
  serve_hungry();
}

// Its body has ended and its event is fulfilled: its parent and its siblings need not wait for it.
void Scheduler::complete(Task& task, unsigned thread) {
  ++changes_;
  task.complete = true;
  if (task.dependence != nullptr) {
    task.dependence->end_exclusion();
    std::vector<DependenceNodePointer> ready;
    DependenceTable::finish(*task.dependence, ready);
    for (const DependenceNodePointer& node : ready) {
      if (node->task != nullptr) make_ready(*node->task, thread);
    }
  }
  if (task.range != nullptr && task.range->pattern != nullptr)
    end_range(*task.range->pattern, thread);
  if (task.parent != nullptr) {
    --task.parent->incomplete_children;
  } else if (--task.root->bodies == 0) {
    task.root->body_ended = true;
  }
  settle(task);
}

// It counts no more, if all that descends from it is counted elsewhere or has ended.
void Scheduler::settle(Task& task) {
  Root& root = *task.root;
  if (task.complete && (!task.is_away || task.subtree_ended)) {
    ++changes_;
    if (task.is_away) away_.erase(task.number);
    if (task.group != nullptr) --task.group->incomplete;
    --root.incomplete;
    drop_reference(task);
  }
  if (root.origin != 0) report(root);
}

// Tells the owner of a task that was executed here how far it is.
void Scheduler::report(Root& root) {
  const bool subtree = root.incomplete == 0;
  const bool body = root.body_ended && !root.body_reported;
  if (!subtree && !body) return;
  Ended ended{.number = root.origin, .body = body, .subtree = subtree, .copies = {}};
  root.body_reported |= body;
  if (subtree) ended.copies = take_copies_of(root);
  send(node_of(root.origin), true, to_bytes(MessageKind::kEnded, ended));
  if (subtree) guests_.erase(root.origin);
}

void Scheduler::drop_reference(Task& task) {
  for (Task* t = &task; t != nullptr && --t->references == 0;) {
    Task* const parent = t->parent;
    // The block of another node's task is that node's to free; a chunk's copy is this one's.
    const bool owns_block = t->ancestors == nullptr || t->range != nullptr;
    if (t->block != nullptr && owns_block) garbage_.push_back(t->block);
    delete t;
    t = parent;
  }
}

bool Scheduler::is_cancelled(const Task& task) {
  return task.cancelled || is_group_cancelled(task.group);
}

bool Scheduler::is_group_cancelled(const Group* group) {
  for (; group != nullptr; group = group->outer) {
    if (group->cancelled) return true;
  }
  return false;
}

std::vector<void*> Scheduler::take_garbage() { return std::exchange(garbage_, {}); }

// --- taskloops ---

// All chunks, as one task.
Task& Scheduler::make_range(Task& pattern, const TaskloopShape& shape) {
  Task& range = create(*pattern.parent);
  range.routine = pattern.routine;
  range.priority = pattern.priority;
  range.tied = pattern.tied;
  range.is_final = pattern.is_final;
  range.has_destructors = pattern.has_destructors;
  range.range = std::make_unique<TaskloopRange>();
  range.range->shape = std::make_shared<const TaskloopShape>(shape);
  range.range->count = shape.chunks;
  return range;
}

void Scheduler::submit_loop(Task& pattern, unsigned thread, const TaskloopShape& shape) {
  count(pattern);
  pattern.unfinished_ranges = 1;
  Task& range = make_range(pattern, shape);
  range.stays = std::exchange(pattern.stays, true);
  range.range->pattern = &pattern;
  submit(range, thread);
}

std::vector<Task*> Scheduler::prepare_chunks(Task& pattern, const TaskloopShape& shape) {
  count(pattern);
  pattern.unfinished_ranges = shape.chunks;
  const bool stays = std::exchange(pattern.stays, true);
  std::vector<Task*> chunks;
  for (std::uint64_t chunk = 0; chunk < shape.chunks; ++chunk) {
    Task& task = make_range(pattern, shape);
    if (chunk > 0) task.range->shape = chunks.front()->range->shape;
    task.stays = stays;
    task.range->pattern = &pattern;
    task.range->first = chunk;
    task.range->count = 1;
    chunks.push_back(&task);
  }
  return chunks;
}

Task& Scheduler::begin_chunk(Task& pattern, const TaskloopShape& shape, std::uint64_t chunk) {
  Task& range = make_range(pattern, shape);
  range.range->first = chunk;
  range.range->count = 1;
  count(range);
  return range;
}

// The upper `count` chunks become a task of their own, a sibling.
Task& Scheduler::split(Task& range, std::uint64_t count_of_piece) {
  auto* piece = new Task;
  piece->number = next_number();
  piece->parent = range.parent;
  piece->ancestors = range.ancestors;
  piece->level = range.level;
  piece->root = range.root;
  piece->group = piece->open_group = range.group;
  piece->routine = range.routine;
  piece->priority = range.priority;
  piece->tied = range.tied;
  piece->stays = range.stays;
  piece->is_final = range.is_final;
  piece->has_destructors = range.has_destructors;
  piece->range = std::make_unique<TaskloopRange>(*range.range);
  range.range->count -= count_of_piece;
  piece->range->first += range.range->count;
  piece->range->count = count_of_piece;
  if (range.range->pattern != nullptr) ++range.range->pattern->unfinished_ranges;
  if (piece->parent != nullptr) {
    ++piece->parent->references;
  } else {
    ++piece->root->bodies;
  }
  count(*piece);
  return *piece;
}

// The last chunk is done. What the pattern holds is the program's to destroy, on a thread of this
// node: on any that waits, whatever it has suspended, as no other node could help.
void Scheduler::end_range(Task& pattern, unsigned thread) {
  if (--pattern.unfinished_ranges > 0) return;
  pattern.cancelled = true;
  pattern.tied = false;
  if (pattern.has_destructors) return make_ready(pattern, thread);
  pattern.body_ended = true;
  complete(pattern, thread);
}

// --- waiting ---

DependenceNodePointer Scheduler::wait_for(Task& parent, std::span<const Dependence> dependences) {
  auto node = std::make_shared<DependenceNode>();
  if (parent.children_dependences != nullptr) parent.children_dependences->add(node, dependences);
  return node;
}

void Scheduler::end_wait(Task& parent, DependenceNode& node) {
  std::vector<DependenceNodePointer> ready;
  DependenceTable::finish(node, ready);
  WEFT_ASSERT(ready.empty(), "task {:x} made tasks while it waited", parent.number);
}

void Scheduler::forget_children(Task& parent) {
  if (parent.children_dependences != nullptr && parent.incomplete_children == 0) {
    parent.children_dependences->clear();
  }
}

// --- groups ---

void Scheduler::begin_group(Task& task) {
  auto* group = new Group;
  group->outer = task.open_group;
  group->name.number = next_number();
  groups_[group->name.number] = group;
  task.open_group = group;
}

void Scheduler::end_group(Task& task) {
  Group* const group = task.open_group;
  WEFT_ASSERT(group != nullptr && group->incomplete == 0, "a task group ends that has not ended");
  task.open_group = group->outer;
  groups_.erase(group->name.number);
  delete group;
}

}  // namespace weft::openmp::tasks
