// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entry points for tasks. A member of the spanning team makes Weft's tasks; everybody else (the
// serial part, inner regions, the program's own threads) libomp's, on the stack where it is.
#include <algorithm>
#include <bit>
#include <vector>

#include "openmp/queries/environment.hpp"
#include "openmp/tasking/entry.hpp"
#include "openmp/tools/events.hpp"
#include "runtime/board/board.hpp"
#include "runtime/libraries/program_objects.hpp"
#include "runtime/output/output_order.hpp"
#include "stacks/stacks.hpp"

namespace weft::openmp::tasks {
namespace {

constexpr std::uint8_t kInFlag = 1, kOutFlag = 2, kMutexFlag = 4, kSetFlag = 8, kAllFlag = 0x80;

// Programs that call the entry point themselves may set the lowest two bits alone, and leave the
// others as they are; on program stacks that is not always zero, as libomp expects it.
std::uint8_t meant_by(std::uint8_t flags) {
  constexpr std::uint8_t kInOrOut = kInFlag | kOutFlag;
  const bool one = std::has_single_bit(flags);
  return one || (flags & kInOrOut) == 0 ? flags : flags & kInOrOut;
}

Dependence translate(const DependInfo& info) {
  const std::uint8_t flags = meant_by(info.flags);
  Dependence dependence;
  dependence.address = info.address;
  dependence.all_memory = (flags & kAllFlag) != 0 || info.is_all_memory();
  if ((flags & kMutexFlag) != 0) {
    dependence.kind = DependenceKind::kMutex;
  } else if ((flags & kSetFlag) != 0) {
    dependence.kind = DependenceKind::kSet;
  } else {
    const bool is_in = (flags & (kInFlag | kOutFlag)) == kInFlag;
    dependence.kind = is_in ? DependenceKind::kIn : DependenceKind::kOut;
  }
  return dependence;
}

std::vector<Dependence> translate(const DependLists& lists) {
  std::vector<Dependence> result;
  for (std::int32_t i = 0; i < lists.count; ++i) result.push_back(translate(lists.list[i]));
  for (std::int32_t i = 0; i < lists.more_count; ++i) result.push_back(translate(lists.more[i]));
  return result;
}

void set_flags_as_meant(DependInfo* list, std::int32_t count) {
  for (std::int32_t i = 0; i < count; ++i) {
    // Written only where need be: a list of the compiler's may be anywhere.
    if (const std::uint8_t flags = meant_by(list[i].flags); flags != list[i].flags) {
      list[i].flags = flags;
    }
  }
}

TaskBlock* allocate(Member& member, std::int32_t flags, std::size_t bytes,
                    std::size_t shareds_bytes, TaskEntry routine) {
  TaskRuntime& runtime = *task_runtime();
  runtime.collect_garbage();
  const std::size_t shareds_offset = (bytes + 7) & ~std::size_t{7};
  const std::size_t block_bytes = shareds_offset + shareds_bytes;
  TaskBlock* const block = allocate_block(runtime.node(), block_bytes);
  Task& task = *runtime.with_scheduler(
      [&](Scheduler& scheduler) { return &scheduler.create(*member.task); });
  task.block = block;
  task.block_bytes = static_cast<std::uint32_t>(block_bytes);
  task.routine = reinterpret_cast<std::uintptr_t>(routine);
  // A library's data that weftcc did not link is each node's own.
  task.stays = !is_in_program(reinterpret_cast<const void*>(routine));
  task.tied = (flags & kTiedFlag) != 0;
  task.is_final = (flags & kFinalFlag) != 0 || member.task->is_final;
  task.has_destructors = (flags & kDestructorsFlag) != 0;
  task.has_priority = (flags & kPriorityFlag) != 0;
  tools::note_task(task, (flags & kMergedFlag) != 0);
  set_task_of(block, &task);
  block->shareds =
      shareds_bytes == 0 ? nullptr : reinterpret_cast<std::byte*>(block) + shareds_offset;
  block->routine = routine;
  block->part = 0;
  return block;
}

// Makes room, if the queue is so long that the creator had better execute than create.
void throttle(TaskRuntime& runtime, Member& member) {
  static const bool is_wanted = logical_variable("KMP_ENABLE_TASK_THROTTLING", true);
  while (is_wanted &&
         runtime.with_scheduler([](Scheduler& scheduler) { return scheduler.is_full(); })) {
    if (!runtime.work_once(member)) return;
  }
}

void create(Member& member, TaskBlock* block, const DependLists& lists) {
  TaskRuntime& runtime = *task_runtime();
  Task& task = *task_of(block);
  const tools::TaskCall call(member);
  if (member.task->is_final) {
    tools::tell_created(member, task, lists.size() > 0, ompt_task_undeferred);
    runtime.with_scheduler([&](Scheduler& scheduler) { scheduler.begin_now(task); });
    runtime.execute(member, task);
    return runtime.collect_garbage();
  }
  if (task.has_priority) {
    task.priority = std::min(block->priority, real().omp_get_max_task_priority());
  }
  const std::vector<Dependence> dependences = translate(lists);
  // Tasks of a set work on the same data, each at the same time: they stay together.
  if (std::ranges::any_of(dependences, [](const Dependence& dependence) {
        return dependence.kind == DependenceKind::kSet;
      })) {
    task.stays = true;
  }
  tools::tell_created(member, task, lists.size() > 0);
  throttle(runtime, member);
  if (!dependences.empty()) tools::tell_dependences(task, lists.first(), lists.second());
  tools::Edges edges(task);
  order_output();
  runtime.with_scheduler([&](Scheduler& scheduler) {
    runtime.use();
    edges.note_sink();
    scheduler.submit(task, member.local_number, dependences);
    edges.note_sources();
  });
}

// An untied task's body comes in parts. Each says that the next is to be executed, by whatever
// thread, and returns. Here it is the same thread.
void continue_untied(Member& member, std::int32_t gtid) {
  Task& task = *member.task;
  if (!task.is_undeferred) {
    task.has_next_part = true;
    return;
  }
  reinterpret_cast<TaskEntry>(task.routine)(gtid, static_cast<TaskBlock*>(task.block));
}

void begin_undeferred(Member& member, TaskBlock* block) {
  Task& task = *task_of(block);
  {
    const tools::TaskCall call(member);
    tools::tell_created(member, task, false, ompt_task_undeferred);
  }
  task_runtime()->with_scheduler([&](Scheduler& scheduler) { scheduler.begin_now(task); });
  task.is_undeferred = true;
  tools::tell_begun(member, task);
  tools::note_inline_body(task);
  member.task = &task;
}

void end_undeferred(Member& member) {
  Task& task = *member.task;
  if (tools::watched()) task_runtime()->tell_ended(member, task, false);
  tools::note_inline_end(task);
  member.task = task.parent;
  task_runtime()->with_scheduler(
      [&](Scheduler& scheduler) { scheduler.end_body(task, member.local_number); });
  task_runtime()->collect_garbage();
}

// Waits for the tasks that a task with these dependences would wait for.
void wait_for(Member& member, const DependLists& lists) {
  TaskRuntime& runtime = *task_runtime();
  std::vector<Dependence> dependences = translate(lists);
  for (Dependence& dependence : dependences) {
    // It takes no turn with tasks that exclude each other: it waits for all of them.
    if (dependence.kind == DependenceKind::kMutex) dependence.kind = DependenceKind::kOut;
  }
  const DependenceNodePointer node = runtime.with_scheduler(
      [&](Scheduler& scheduler) { return scheduler.wait_for(*member.task, dependences); });
  runtime.work_until(member, [&](Scheduler& scheduler) {
    if (node->predecessors > 0) return false;
    scheduler.end_wait(*member.task, *node);
    return true;
  });
}

void wait_at(Member& member, const DependLists& lists) {
  on_runtime_stack([&] {
    const tools::TaskCall call(member);
    const tools::DependentWait told(member, lists.first(), lists.second());
    wait_for(member, lists);
  });
}

void wait_for_children(Member& member) {
  const tools::Waiting waiting(member, ompt_sync_region_taskwait);
  task_runtime()->work_until(member, [&](Scheduler&) {
    if (member.task->incomplete_children > 0) return false;
    Scheduler::forget_children(*member.task);
    return true;
  });
}

}  // namespace
}  // namespace weft::openmp::tasks

using namespace weft;
using namespace weft::openmp;
using namespace weft::openmp::tasks;

WEFT_ENTRY void* __kmpc_omp_task_alloc(Ident* loc, std::int32_t gtid, std::int32_t flags,
                                       std::size_t bytes, std::size_t shareds_bytes,
                                       TaskEntry routine) {
  WEFT_NOTE_CALL();
  Member* member = current_member();
  if (member == nullptr) {
    return real().__kmpc_omp_task_alloc(loc, gtid, flags, bytes, shareds_bytes, routine);
  }
  return on_runtime_stack(
      [&]() -> void* { return allocate(*member, flags, bytes, shareds_bytes, routine); });
}

// A target region's task; the device is the host.
WEFT_ENTRY void* __kmpc_omp_target_task_alloc(Ident* loc, std::int32_t gtid, std::int32_t flags,
                                              std::size_t bytes, std::size_t shareds_bytes,
                                              TaskEntry routine, std::int64_t device) {
  Member* member = current_member();
  if (member == nullptr) {
    return real().__kmpc_omp_target_task_alloc(loc, gtid, flags, bytes, shareds_bytes, routine,
                                               device);
  }
  return on_runtime_stack(
      [&]() -> void* { return allocate(*member, flags, bytes, shareds_bytes, routine); });
}

WEFT_ENTRY std::int32_t __kmpc_omp_task(Ident* loc, std::int32_t gtid, void* task) {
  WEFT_NOTE_CALL();
  imply_flush();
  Member* member = current_member();
  if (member == nullptr) return real().__kmpc_omp_task(loc, gtid, task);
  if (member->task->block == task) {
    continue_untied(*member, gtid);
    return 0;
  }
  on_runtime_stack([&] { create(*member, static_cast<TaskBlock*>(task), {}); });
  return 0;
}

// The same; no compiler that Weft supports calls it.
WEFT_ENTRY std::int32_t __kmpc_omp_task_parts(Ident* loc, std::int32_t gtid, void* task) {
  Member* member = current_member();
  if (member == nullptr) return real().__kmpc_omp_task_parts(loc, gtid, task);
  return __kmpc_omp_task(loc, gtid, task);
}

WEFT_ENTRY std::int32_t __kmpc_omp_task_with_deps(Ident* loc, std::int32_t gtid, void* task,
                                                  std::int32_t count, DependInfo* list,
                                                  std::int32_t more_count, DependInfo* more) {
  WEFT_NOTE_CALL();
  imply_flush();
  Member* member = current_member();
  if (member == nullptr) {
    set_flags_as_meant(list, count);
    set_flags_as_meant(more, more_count);
    return real().__kmpc_omp_task_with_deps(loc, gtid, task, count, list, more_count, more);
  }
  const DependLists lists{.count = count, .list = list, .more_count = more_count, .more = more};
  on_runtime_stack([&] { create(*member, static_cast<TaskBlock*>(task), lists); });
  return 0;
}

// Around a task that its creator executes itself; clang and flang call the body between the two.
WEFT_ENTRY void __kmpc_omp_task_begin_if0(Ident* loc, std::int32_t gtid, void* task) {
  WEFT_NOTE_CALL();
  imply_flush();
  Member* member = current_member();
  if (member == nullptr) {
    real().__kmpc_omp_task_begin_if0(loc, gtid, task);
    return tools::note_inline_body_of_libomp();
  }
  on_runtime_stack([&] { begin_undeferred(*member, static_cast<TaskBlock*>(task)); });
}

WEFT_ENTRY void __kmpc_omp_task_complete_if0(Ident* loc, std::int32_t gtid, void* task) {
  WEFT_NOTE_CALL();
  imply_flush();
  Member* member = current_member();
  if (member == nullptr) return real().__kmpc_omp_task_complete_if0(loc, gtid, task);
  auto* const block = static_cast<TaskBlock*>(task);
  if (member->task->has_destructors) block->destructors(gtid, block);
  on_runtime_stack([&] { end_undeferred(*member); });
}

WEFT_ENTRY std::int32_t __kmpc_omp_taskwait(Ident* loc, std::int32_t gtid) {
  WEFT_NOTE_CALL();
  imply_flush();
  Member* member = current_member();
  if (member == nullptr) return real().__kmpc_omp_taskwait(loc, gtid);
  const void* site = __builtin_return_address(0);
  on_runtime_stack([&] {
    const board::Purpose purpose(board::WaitKind::kTaskwait, 0, text_of(loc), site);
    wait_for_children(*member);
  });
  return 0;
}

WEFT_ENTRY void __kmpc_omp_wait_deps(Ident* loc, std::int32_t gtid, std::int32_t count,
                                     DependInfo* list, std::int32_t more_count, DependInfo* more) {
  WEFT_NOTE_CALL();
  imply_flush();
  Member* member = current_member();
  if (member == nullptr) {
    set_flags_as_meant(list, count);
    set_flags_as_meant(more, more_count);
    return real().__kmpc_omp_wait_deps(loc, gtid, count, list, more_count, more);
  }
  const DependLists lists{.count = count, .list = list, .more_count = more_count, .more = more};
  wait_at(*member, lists);
}

// taskwait with depend; `nowait` makes it a task of its own, and to wait is always allowed.
WEFT_ENTRY void __kmpc_omp_taskwait_deps_51(Ident* loc, std::int32_t gtid, std::int32_t count,
                                            DependInfo* list, std::int32_t more_count,
                                            DependInfo* more, std::int32_t no_wait) {
  WEFT_NOTE_CALL();
  imply_flush();
  if (current_member() == nullptr) {
    set_flags_as_meant(list, count);
    set_flags_as_meant(more, more_count);
    return real().__kmpc_omp_taskwait_deps_51(loc, gtid, count, list, more_count, more, no_wait);
  }
  wait_at(*current_member(),
          {.count = count, .list = list, .more_count = more_count, .more = more});
}

WEFT_ENTRY std::int32_t __kmpc_omp_taskyield(Ident* loc, std::int32_t gtid, int end_part) {
  WEFT_NOTE_CALL();
  imply_flush();
  Member* member = current_member();
  if (member == nullptr) return real().__kmpc_omp_taskyield(loc, gtid, end_part);
  on_runtime_stack([&] {
    // Whoever yields waits for something, maybe from a thread without a processor.
    member->tool.is_yielding = true;
    const bool has_worked = task_runtime()->work_once(*member);
    member->tool.is_yielding = false;
    if (!has_worked) sched_yield();
  });
  return 0;
}

// Places that the task works on; a hint.
WEFT_ENTRY std::int32_t __kmpc_omp_reg_task_with_affinity(Ident* loc, std::int32_t gtid, void* task,
                                                          std::int32_t count, void* list) {
  if (current_member() != nullptr) return 0;
  return real().__kmpc_omp_reg_task_with_affinity(loc, gtid, task, count, list);
}
