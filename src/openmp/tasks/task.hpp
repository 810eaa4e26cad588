// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a node knows of a task. Everything here is in private memory and guarded by the scheduler's
// lock; the task's block (its arguments and private variables) is the program's, in shared memory.
// See docs/internals/tasks.md.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/codec.hpp"
#include "base/ids.hpp"
#include "openmp/libomp/kmp_abi.hpp"
#include "openmp/tasks/dependences.hpp"
#include "openmp/tasks/tool_task.hpp"

namespace weft::openmp::tasks {

// Names a task or a task group in the whole job, for good: the node that made it and a count.
using Number = std::uint64_t;
inline constexpr unsigned kNodeShift = 48;
[[nodiscard]] inline NodeId node_of(Number number) {
  return NodeId(static_cast<NodeId::representation>(number >> kNodeShift));
}

struct Task;

// A task group, as named in messages: the reduction descriptor is null without task_reduction.
struct GroupName {
  Number number = 0;
  std::uintptr_t reductions = 0;
  WEFT_FIELDS(self.number, self.reductions)
};

// The set of tasks that a taskgroup waits for. On a node that was given tasks of another node's
// group it stands for that one, and counts nothing.
struct Group {
  Group* outer = nullptr;
  GroupName name;
  std::uint64_t incomplete = 0;
  bool cancelled = false;
  std::vector<GroupName> elsewhere;  // other nodes' groups that it stands for, innermost first
};

// A task that everything below it is counted for: either all of this node's own threads (null
// origin), or a task of another node that is executed here.
struct Root {
  std::uint64_t incomplete = 0;
  Number origin = 0;
  std::uint64_t bodies = 0;  // not yet ended: of a range there may be several pieces
  std::unique_ptr<Group> group;
  std::vector<Number> reductions;  // groups of other nodes that there are copies for
  bool body_ended = false, body_reported = false;
};

// A taskloop's pattern and how its iterations are cut; the same on all nodes.
struct TaskloopShape {
  std::uintptr_t pattern = 0;  // the block that each chunk's block is a copy of
  std::uint32_t block_bytes = 0;
  std::uint32_t lower_offset = 0, upper_offset = 0;  // of the bounds, in the block
  std::uint64_t lower = 0, iterations = 0;
  std::int64_t step = 1;
  std::uint64_t chunks = 0, grain = 1;
  std::uint64_t longer_chunks = 0;  // the first so many chunks have one iteration more
  std::uintptr_t duplicate = 0;     // compiler's function that copies what memcpy cannot
  WEFT_FIELDS(self.pattern, self.block_bytes, self.lower_offset, self.upper_offset, self.lower,
              self.iterations, self.step, self.chunks, self.grain, self.longer_chunks,
              self.duplicate)
};

// Chunks [first, first + count) of a taskloop, still to be executed.
struct TaskloopRange {
  std::shared_ptr<const TaskloopShape> shape;
  std::uint64_t first = 0, count = 0;
  Task* pattern = nullptr;  // on the node that encountered the loop
};

struct Task {
  Number number = 0;
  Task* parent = nullptr;  // null: a thread's implicit task, or given by another node
  // Of a task given by another node: its ancestors elsewhere, innermost first.
  std::shared_ptr<const std::vector<Number>> ancestors;
  std::uint32_t level = 0;  // how many ancestors it has, on whatever node
  Root* root = nullptr;
  Group* group = nullptr;       // the one it belongs to
  Group* open_group = nullptr;  // the one that its children belong to

  void* block = nullptr;  // null in an implicit task, and in a range until it is executed
  std::uint32_t block_bytes = 0;
  std::uintptr_t routine = 0;
  std::int32_t priority = 0;
  bool tied = true;
  bool is_final = false;
  bool has_destructors = false, has_priority = false;
  bool cancelled = false;      // its body is not to be executed
  bool is_undeferred = false;  // its creator calls its body
  bool has_next_part = false;  // untied: its body is to be called once more
  bool stays = false;          // is not for other nodes
  bool body_ended = false;
  bool event_pending = false;  // detach: its event is not fulfilled yet
  // While a tool watches: it has heard that the event is fulfilled, or that the body ended before.
  bool event_is_told = false, is_detached = false;
  bool complete = false;
  bool is_away = false;        // another node executes it
  bool subtree_ended = false;  // of a task that is away

  std::uint64_t incomplete_children = 0;
  std::uint64_t references = 1;         // itself until complete, and its children's records
  std::uint64_t unfinished_ranges = 0;  // of a taskloop's pattern
  std::unique_ptr<TaskloopRange> range;

  std::unique_ptr<DependenceTable> children_dependences;
  std::shared_ptr<DependenceNode> dependence;
  std::unique_ptr<tools::ToolTask> tool;  // while a tool watches

  // In the ready queue.
  Task *older = nullptr, *newer = nullptr;
  std::uint32_t queue = 0;
};

}  // namespace weft::openmp::tasks
