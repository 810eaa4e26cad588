// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "openmp/tools/region_part.hpp"

#include <memory>

#include "openmp/team/team.hpp"
#include "openmp/tools/tool.hpp"

namespace weft::openmp::tools {
namespace {

std::atomic<RegionPart*> part{nullptr};
thread_local RegionPart* forked = nullptr;

}  // namespace

RegionNote begin_region(unsigned requested_threads) {
  RegionNote note;
  if (!watched()) return note;
  note.site = reinterpret_cast<std::uintptr_t>(call_site().address);
  note.requested = requested_threads;
  tell_held_thread();
  note.ids = ids_until_now();
  if (!is_of_job()) return note;
  ompt_data_t* task = nullptr;
  ompt_data_t* parallel = nullptr;
  ompt_frame_t* frame = nullptr;
  (void)real_tools().get_task_info(0, nullptr, &task, &frame, &parallel, nullptr);
  if (task != nullptr) note.outer_task = task->value;
  if (parallel != nullptr) note.outer_region = parallel->value;
  note.outer_frame = reinterpret_cast<std::uintptr_t>(call_site().frame);
  if (frame != nullptr) frame->enter_frame.ptr = call_site().frame;
  ompt_data_t data = {0};
  tell<ompt_callback_parallel_begin_t>(
      ompt_callback_parallel_begin, task, frame, &data, requested_threads,
      static_cast<int>(ompt_parallel_invoker_runtime | ompt_parallel_team), call_site().address);
  note.data = data.value;
  note.ids = ids_until_now();
  return note;
}

RegionPart::RegionPart(const RegionNote& note, const Team& team)
    : note_(note), team_(team), is_watched_(watched()) {
  if (!is_watched_) return;
  part = this;
  forked = this;
  skip_ids(note_.ids);
  tell_held_thread();
  if (!told_by_node_0()) return;
  ompt_data_t* task = nullptr;
  ompt_data_t* parallel = nullptr;
  (void)real_tools().get_task_info(0, nullptr, &task, nullptr, &parallel, nullptr);
  if (task != nullptr) task->value = note_.outer_task;
  if (parallel != nullptr) parallel->value = note_.outer_region;
}

RegionPart::~RegionPart() {
  if (!is_watched_) return;
  part = nullptr;
  forked = nullptr;
}

RegionPart* present_part() { return part.load(std::memory_order_acquire); }
RegionPart* own_part() { return forked; }

void** exit_frame_of_task(void** unused) {
  if (!watched()) return unused;
  ompt_frame_t* frame = nullptr;
  (void)real_tools().get_task_info(0, nullptr, nullptr, &frame, nullptr, nullptr);
  return frame != nullptr ? &frame->exit_frame.ptr : unused;
}

void begin_member(Member& member) {
  if (!watched()) return;
  member.implicit_task.tool = std::make_unique<ToolTask>();
  ToolTask& task = *member.implicit_task.tool;
  (void)real_tools().get_task_info(0, &task.flags, &task.data, &task.frame, &member.tool.parallel,
                                   nullptr);
  member.tool.state = ompt_state_work_parallel;
}

}  // namespace weft::openmp::tools
