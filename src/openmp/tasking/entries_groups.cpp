// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entry points for task groups, taskloops, events, and what a program may ask about its task.
#include "openmp/tasking/entry.hpp"
#include "openmp/tasking/reductions.hpp"
#include "openmp/tools/events.hpp"
#include "runtime/board/board.hpp"
#include "runtime/output/output_order.hpp"
#include "stacks/stacks.hpp"

namespace weft::openmp::tasks {

void begin_group(Member& member) {
  tools::begin_sync(member, ompt_sync_region_taskgroup);
  task_runtime()->with_scheduler(
      [&](Scheduler& scheduler) { scheduler.begin_group(*member.task); });
}

void end_group(Member& member) {
  TaskRuntime& runtime = *task_runtime();
  {
    const tools::Waiting waiting(member, ompt_sync_region_taskgroup, tools::Waiting::Whole::kNo);
    runtime.work_until(member, [&](Scheduler&) { return Scheduler::group_ended(*member.task); });
  }
  combine_copies(member);
  runtime.with_scheduler([&](Scheduler& scheduler) { scheduler.end_group(*member.task); });
  tools::end_sync(member, ompt_sync_region_taskgroup);
}

bool cancel_taskgroup(Member& member) {
  if (member.task->open_group == nullptr) return false;
  task_runtime()->with_scheduler(
      [&](Scheduler& scheduler) { scheduler.cancel_group(*member.task); });
  return true;
}

bool is_taskgroup_cancelled(Member& member) {
  if (member.task->open_group == nullptr) return false;
  return task_runtime()->with_scheduler(
      [&](Scheduler&) { return Scheduler::is_group_cancelled(member.task->open_group); });
}

namespace {

struct TaskloopCall {
  TaskBlock* block;
  bool deferred;
  std::uint64_t* lower;
  std::uint64_t* upper;
  std::int64_t step;
  std::int32_t schedule;
  std::uint64_t amount;
  bool strict;
  void* duplicate;
};

TaskloopShape shape_of(const Member& member, const Task& pattern, const TaskloopCall& call) {
  constexpr std::uint64_t kChunksPerThread = 10;
  const auto offset = [&](std::uint64_t* bound) {
    return static_cast<std::uint32_t>(reinterpret_cast<std::byte*>(bound) -
                                      reinterpret_cast<std::byte*>(call.block));
  };
  TaskloopShape shape;
  shape.pattern = reinterpret_cast<std::uintptr_t>(call.block);
  shape.block_bytes = pattern.block_bytes;
  shape.lower_offset = offset(call.lower);
  shape.upper_offset = offset(call.upper);
  shape.lower = *call.lower;
  shape.step = call.step;
  shape.iterations = count_iterations(*call.lower, *call.upper, call.step);
  shape.duplicate = reinterpret_cast<std::uintptr_t>(call.duplicate);
  if (shape.iterations == 0) return shape;
  const TaskloopCut cut =
      cut_taskloop(shape.iterations, static_cast<TaskloopSchedule>(call.schedule), call.amount,
                   call.strict, member.team->size * kChunksPerThread);
  shape.chunks = cut.chunks;
  shape.grain = cut.grain;
  shape.longer_chunks = cut.longer_chunks;
  return shape;
}

// Without a deferred task: the thread takes chunk after chunk.
void execute_loop(Member& member, const TaskloopShape& shape) {
  TaskRuntime& runtime = *task_runtime();
  Task& pattern = *task_of(reinterpret_cast<TaskBlock*>(shape.pattern));
  for (std::uint64_t chunk = 0; chunk < shape.chunks; ++chunk) {
    Task& task = *runtime.with_scheduler(
        [&](Scheduler& scheduler) { return &scheduler.begin_chunk(pattern, shape, chunk); });
    tools::note_task(task, false);
    tools::tell_created(member, task, false, ompt_task_undeferred);
    runtime.execute(member, task);
  }
}

// As Scheduler::submit_loop, but each chunk is a task from the beginning, so that a tool sees it.
void submit_chunks(Member& member, Task& pattern, const TaskloopShape& shape) {
  TaskRuntime& runtime = *task_runtime();
  const std::vector<Task*> chunks = runtime.with_scheduler(
      [&](Scheduler& scheduler) { return scheduler.prepare_chunks(pattern, shape); });
  for (Task* const chunk : chunks) {
    tools::note_task(*chunk, false);
    tools::tell_created(member, *chunk, false);
  }
  order_output();
  runtime.with_scheduler([&](Scheduler& scheduler) {
    runtime.use();
    for (Task* const chunk : chunks) scheduler.submit(*chunk, member.local_number);
  });
}

void run_taskloop(Member& member, const TaskloopCall& call) {
  TaskRuntime& runtime = *task_runtime();
  Task& pattern = *task_of(call.block);
  if (pattern.has_priority) {
    pattern.priority = std::min(call.block->priority, real().omp_get_max_task_priority());
  }
  const TaskloopShape shape = shape_of(member, pattern, call);
  // Tools know the chunks as tasks, not what they are copied from.
  pattern.tool.reset();
  const tools::TaskCall told_call(member);
  const tools::LoopOfTasks told(member, shape.iterations);
  const bool deferred = call.deferred && !member.task->is_final && shape.chunks > 0;
  if (deferred && tools::watched()) return submit_chunks(member, pattern, shape);
  if (deferred) {
    order_output();
    runtime.with_scheduler([&](Scheduler& scheduler) {
      runtime.use();
      scheduler.submit_loop(pattern, member.local_number, shape);
    });
    return;
  }
  runtime.with_scheduler([&](Scheduler& scheduler) { scheduler.begin_now(pattern); });
  execute_loop(member, shape);
  pattern.cancelled = true;  // there is nothing to execute, only to destroy
  runtime.execute(member, pattern);
  runtime.collect_garbage();
}

void taskloop(Member& member, const TaskloopCall& call, bool has_group) {
  on_runtime_stack([&] {
    if (has_group) begin_group(member);
    run_taskloop(member, call);
    if (has_group) end_group(member);
  });
}

// The address of an event says which node's it is; libomp's are addresses of its own.
constexpr std::uintptr_t kEventBit = std::uintptr_t{1} << 63;

void* make_event(TaskBlock* block) {
  Task& task = *task_of(block);
  // A tool is to hear where the task is that its event was fulfilled before its body ended, or
  // after.
  if (tools::watched()) task.stays = true;
  const Number number = task_runtime()->with_scheduler(
      [&](Scheduler& scheduler) { return scheduler.make_event(task); });
  return reinterpret_cast<void*>(number | kEventBit);
}

void fulfil(void* event) {
  const auto number = reinterpret_cast<std::uintptr_t>(event);
  if ((number & kEventBit) == 0) return real().omp_fulfill_event(event);
  on_runtime_stack([&] { task_runtime()->fulfil(Number{number & ~kEventBit}); });
}

int in_final() {
  const Member* member = current_member();
  return member == nullptr ? real().omp_in_final() : member->task->is_final ? 1 : 0;
}

int in_explicit_task() {
  const Member* member = current_member();
  if (member == nullptr) return real().omp_in_explicit_task();
  return member->task != &member->implicit_task ? 1 : 0;
}

}  // namespace
}  // namespace weft::openmp::tasks

using namespace weft;
using namespace weft::openmp;
using namespace weft::openmp::tasks;

WEFT_ENTRY void __kmpc_taskgroup(Ident* loc, std::int32_t gtid) {
  WEFT_NOTE_CALL();
  imply_flush();
  Member* member = current_member();
  if (member == nullptr) return real().__kmpc_taskgroup(loc, gtid);
  on_runtime_stack([&] { begin_group(*member); });
}

WEFT_ENTRY void __kmpc_end_taskgroup(Ident* loc, std::int32_t gtid) {
  WEFT_NOTE_CALL();
  imply_flush();
  Member* member = current_member();
  if (member == nullptr) return real().__kmpc_end_taskgroup(loc, gtid);
  const void* site = __builtin_return_address(0);
  on_runtime_stack([&] {
    const board::Purpose purpose(board::WaitKind::kTaskwait, 0, text_of(loc), site);
    end_group(*member);
  });
}

WEFT_ENTRY void __kmpc_taskloop_5(Ident* loc, std::int32_t gtid, void* task, std::int32_t condition,
                                  std::uint64_t* lower, std::uint64_t* upper, std::int64_t step,
                                  std::int32_t no_group, std::int32_t schedule,
                                  std::uint64_t amount, std::int32_t strict, void* duplicate) {
  WEFT_NOTE_CALL();
  imply_flush();
  Member* member = current_member();
  if (member == nullptr) {
    return real().__kmpc_taskloop_5(loc, gtid, task, condition, lower, upper, step, no_group,
                                    schedule, amount, strict, duplicate);
  }
  const TaskloopCall call{.block = static_cast<TaskBlock*>(task),
                          .deferred = condition != 0,
                          .lower = lower,
                          .upper = upper,
                          .step = step,
                          .schedule = schedule,
                          .amount = amount,
                          .strict = strict != 0,
                          .duplicate = duplicate};
  taskloop(*member, call, no_group == 0);
}

WEFT_ENTRY void __kmpc_taskloop(Ident* loc, std::int32_t gtid, void* task, std::int32_t condition,
                                std::uint64_t* lower, std::uint64_t* upper, std::int64_t step,
                                std::int32_t no_group, std::int32_t schedule, std::uint64_t amount,
                                void* duplicate) {
  WEFT_NOTE_CALL();
  imply_flush();
  Member* member = current_member();
  if (member == nullptr) {
    return real().__kmpc_taskloop(loc, gtid, task, condition, lower, upper, step, no_group,
                                  schedule, amount, duplicate);
  }
  const TaskloopCall call{.block = static_cast<TaskBlock*>(task),
                          .deferred = condition != 0,
                          .lower = lower,
                          .upper = upper,
                          .step = step,
                          .schedule = schedule,
                          .amount = amount,
                          .strict = false,
                          .duplicate = duplicate};
  taskloop(*member, call, no_group == 0);
}

WEFT_ENTRY void* __kmpc_task_allow_completion_event(Ident* loc, std::int32_t gtid, void* task) {
  if (current_member() == nullptr) {
    return real().__kmpc_task_allow_completion_event(loc, gtid, task);
  }
  return on_runtime_stack([&] { return make_event(static_cast<TaskBlock*>(task)); });
}

WEFT_ENTRY void omp_fulfill_event(void* event) { fulfil(event); }
WEFT_ENTRY void omp_fulfill_event_(void* event) { fulfil(event); }  // by value in Fortran, too

WEFT_ENTRY int omp_in_final(void) { return in_final(); }
WEFT_ENTRY int omp_in_final_(void) { return in_final(); }
WEFT_ENTRY int omp_in_explicit_task(void) { return in_explicit_task(); }
WEFT_ENTRY int omp_in_explicit_task_(void) { return in_explicit_task(); }
