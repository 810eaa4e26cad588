// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Weft tells a tool (OMPT) of tasks of a spanning team. A task's creation is told by the
// thread that creates it, its beginning and end by the thread that executes it, on whatever node.
#pragma once

#include <span>
#include <vector>

#include "openmp/tools/tool.hpp"

namespace weft::openmp {
struct DependInfo;
struct Member;
namespace tasks {
struct Task;
struct DependenceNode;
}  // namespace tasks
}  // namespace weft::openmp

namespace weft::openmp::tools {

// A new task, of which nobody knows yet.
void note_task(tasks::Task& task, bool is_mergeable);
void tell_created(Member& member, tasks::Task& task, bool has_dependences, int more_flags = 0);
void tell_dependences(const tasks::Task& task, std::span<const DependInfo> list,
                      std::span<const DependInfo> more);

// The member begins to execute the task, in place of its present one; and ends it.
void tell_begun(Member& member, tasks::Task& task);
void tell_ended(Member& member, tasks::Task& task, ompt_task_status_t status);

// The task's event is fulfilled, by the calling thread or on another node.
void tell_fulfilled(const tasks::Task& task);

// The program calls the body itself, after the present call.
void note_inline_body(tasks::Task& task);
void note_inline_end(const tasks::Task& task);
void note_inline_body_of_libomp();

// Its body was not executed.
void tell_discarded(Member& member);

// Which tasks a new task has to wait for. The two notes are taken under the scheduler's lock,
// around its submission; what they have found is told at the end.
class Edges {
 public:
  explicit Edges(const tasks::Task& sink) : sink_(sink) {}
  ~Edges();
  Edges(const Edges&) = delete;
  Edges& operator=(const Edges&) = delete;
  void note_sink();
  void note_sources();

 private:
  const tasks::Task& sink_;
  ompt_data_t sink_data_ = {0};
  std::vector<ompt_data_t> sources_;
};

// taskwait with dependences: to tools, a task that does nothing.
class DependentWait {
 public:
  DependentWait(Member& member, std::span<const DependInfo> list, std::span<const DependInfo> more);
  ~DependentWait();
  DependentWait(const DependentWait&) = delete;
  DependentWait& operator=(const DependentWait&) = delete;

 private:
  const bool is_watched_;
  ompt_data_t data_ = {0};
};

// A taskloop, while its tasks are made.
class LoopOfTasks {
 public:
  LoopOfTasks(Member& member, std::uint64_t iterations);
  ~LoopOfTasks();
  LoopOfTasks(const LoopOfTasks&) = delete;
  LoopOfTasks& operator=(const LoopOfTasks&) = delete;

 private:
  Member& member_;
  const std::uint64_t iterations_;
};

// While a task calls the runtime: where it has left the program.
class TaskCall {
 public:
  explicit TaskCall(Member& member);
  ~TaskCall();
  TaskCall(const TaskCall&) = delete;
  TaskCall& operator=(const TaskCall&) = delete;

 private:
  ompt_frame_t* frame_ = nullptr;
  void* outer_ = nullptr;
};

}  // namespace weft::openmp::tools
