// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "openmp/tools/task_events.hpp"

#include "openmp/team/team.hpp"
#include "openmp/tools/events.hpp"

namespace weft::openmp::tools {
namespace {

ompt_dependence_type_t type_of(const DependInfo& info) {
  constexpr std::uint8_t kIn = 1, kOut = 2, kMutex = 4, kSet = 8, kAll = 0x80;
  const bool is_in = (info.flags & kIn) != 0;
  if (info.is_all_memory()) return ompt_dependence_type_out_all_memory;
  if ((info.flags & kAll) != 0) {
    return is_in ? ompt_dependence_type_inout_all_memory : ompt_dependence_type_out_all_memory;
  }
  if ((info.flags & kMutex) != 0) return ompt_dependence_type_mutexinoutset;
  if ((info.flags & kSet) != 0) return ompt_dependence_type_inoutset;
  if ((info.flags & kOut) != 0)
    return is_in ? ompt_dependence_type_inout : ompt_dependence_type_out;
  return ompt_dependence_type_in;
}

void tell_dependences(ompt_data_t* task, std::span<const DependInfo> list,
                      std::span<const DependInfo> more) {
  std::vector<ompt_dependence_t> dependences;
  for (const std::span<const DependInfo> part : {list, more}) {
    for (const DependInfo& info : part) {
      ompt_dependence_t& dependence = dependences.emplace_back();
      dependence.variable.value = info.address;
      dependence.dependence_type = type_of(info);
    }
  }
  tell<ompt_callback_dependences_t>(ompt_callback_dependences, task, dependences.data(),
                                    static_cast<int>(dependences.size()));
}

}  // namespace

void note_task(tasks::Task& task, bool is_mergeable) {
  if (!watched()) return;
  task.tool = std::make_unique<ToolTask>();
  unsigned flags = ompt_task_explicit;
  if (!task.tied) flags |= ompt_task_untied;
  if (task.is_final) flags |= ompt_task_final;
  if (is_mergeable) flags |= ompt_task_mergeable;
  task.tool->flags = static_cast<int>(flags);
}

void tell_created(Member& member, tasks::Task& task, bool has_dependences, int more_flags) {
  if (!watched() || task.tool == nullptr) return;
  task.tool->flags |= more_flags;
  const auto& creator = member.task->tool;
  tell<ompt_callback_task_create_t>(ompt_callback_task_create, task_data(member),
                                    creator != nullptr ? creator->frame : nullptr, task.tool->data,
                                    task.tool->flags, has_dependences ? 1 : 0, call_site().address);
}

void tell_dependences(const tasks::Task& task, std::span<const DependInfo> list,
                      std::span<const DependInfo> more) {
  if (watched() && task.tool != nullptr) tell_dependences(task.tool->data, list, more);
}

void tell_begun(Member& member, tasks::Task& task) {
  if (!watched() || task.tool == nullptr) return;
  task.tool->suspended = member.task;
  const ompt_task_status_t status = member.tool.is_yielding ? ompt_task_yield : ompt_task_switch;
  tell<ompt_callback_task_schedule_t>(ompt_callback_task_schedule, task_data(member), status,
                                      task.tool->data);
}

void tell_ended(Member& member, tasks::Task& task, ompt_task_status_t status) {
  if (!watched() || task.tool == nullptr) return;
  const auto& resumed = task.tool->suspended->tool;
  (void)member;
  tell<ompt_callback_task_schedule_t>(ompt_callback_task_schedule, task.tool->data, status,
                                      resumed != nullptr ? resumed->data : nullptr);
}

void tell_fulfilled(const tasks::Task& task) {
  if (!watched() || task.tool == nullptr) return;
  const auto status = task.is_detached ? ompt_task_late_fulfill : ompt_task_early_fulfill;
  tell<ompt_callback_task_schedule_t>(ompt_callback_task_schedule, task.tool->data, status,
                                      static_cast<ompt_data_t*>(nullptr));
}

// The frame before the entry point's is the program's, as its frame pointer was saved there.
void note_inline_body(tasks::Task& task) {
  if (!watched() || task.tool == nullptr || call_site().frame == nullptr) return;
  void* const program_frame = *static_cast<void**>(call_site().frame);
  task.tool->frame->exit_frame.ptr = program_frame;
  if (const auto& outer = task.tool->suspended->tool; outer != nullptr) {
    outer->frame->enter_frame.ptr = program_frame;
  }
}

void note_inline_end(const tasks::Task& task) {
  if (!watched() || task.tool == nullptr) return;
  if (const auto& outer = task.tool->suspended->tool; outer != nullptr) {
    outer->frame->enter_frame.ptr = nullptr;
  }
}

void note_inline_body_of_libomp() {
  if (!watched() || call_site().frame == nullptr) return;
  ompt_frame_t* frame = nullptr;
  void* const program_frame = *static_cast<void**>(call_site().frame);
  (void)real_tools().get_task_info(0, nullptr, nullptr, &frame, nullptr, nullptr);
  if (frame != nullptr) frame->exit_frame.ptr = program_frame;
  (void)real_tools().get_task_info(1, nullptr, nullptr, &frame, nullptr, nullptr);
  if (frame != nullptr) frame->enter_frame.ptr = program_frame;
}

void tell_discarded(Member& member) {
  tell<ompt_callback_cancel_t>(
      ompt_callback_cancel, task_data(member),
      static_cast<int>(ompt_cancel_taskgroup) | static_cast<int>(ompt_cancel_discarded_task),
      static_cast<const void*>(nullptr));
}

// Copies: whoever is waited for may end, and be gone, before the tool is told.
void Edges::note_sink() {
  if (watched() && sink_.tool != nullptr) sink_data_ = *sink_.tool->data;
}

void Edges::note_sources() {
  if (!watched() || sink_.dependence == nullptr) return;
  for (const tasks::Task* const source : sink_.dependence->waits_for) {
    if (source->tool != nullptr) sources_.push_back(*source->tool->data);
  }
}

Edges::~Edges() {
  for (ompt_data_t& source : sources_) {
    tell<ompt_callback_task_dependence_t>(ompt_callback_task_dependence, &source, &sink_data_);
  }
}

DependentWait::DependentWait(Member& member, std::span<const DependInfo> list,
                             std::span<const DependInfo> more)
    : is_watched_(watched() && !(list.empty() && more.empty())) {
  if (!is_watched_) return;
  const unsigned flags = ompt_task_taskwait | ompt_task_undeferred | ompt_task_mergeable;
  const auto& creator = member.task->tool;
  tell<ompt_callback_task_create_t>(ompt_callback_task_create, task_data(member),
                                    creator != nullptr ? creator->frame : nullptr, &data_,
                                    static_cast<int>(flags), 1, call_site().address);
  tell_dependences(&data_, list, more);
}

DependentWait::~DependentWait() {
  if (!is_watched_) return;
  tell<ompt_callback_task_schedule_t>(ompt_callback_task_schedule, &data_, ompt_taskwait_complete,
                                      static_cast<ompt_data_t*>(nullptr));
}

LoopOfTasks::LoopOfTasks(Member& member, std::uint64_t iterations)
    : member_(member), iterations_(iterations) {
  tell_work(member_, ompt_work_taskloop, ompt_scope_begin, iterations_);
}

LoopOfTasks::~LoopOfTasks() { tell_work(member_, ompt_work_taskloop, ompt_scope_end, iterations_); }

TaskCall::TaskCall(Member& member) {
  if (!watched() || member.task->tool == nullptr) return;
  frame_ = member.task->tool->frame;
  outer_ = std::exchange(frame_->enter_frame.ptr, call_site().frame);
}

TaskCall::~TaskCall() {
  if (frame_ != nullptr) frame_->enter_frame.ptr = outer_;
}

}  // namespace weft::openmp::tools
