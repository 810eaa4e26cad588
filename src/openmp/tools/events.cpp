// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "openmp/tools/events.hpp"

#include <vector>

#include "openmp/team/team.hpp"
#include "stacks/stacks.hpp"

namespace weft::openmp::tools {
namespace {

// What the compilers set in a position.
constexpr std::int32_t kExplicitBarrier = 0x20, kImplicitBarrier = 0x40, kSections = 0x400;

int state_at(ompt_sync_region_t kind) {
  switch (kind) {
    case ompt_sync_region_taskwait:
      return ompt_state_wait_taskwait;
    case ompt_sync_region_taskgroup:
      return ompt_state_wait_taskgroup;
    case ompt_sync_region_barrier_explicit:
      return ompt_state_wait_barrier_explicit;
    case ompt_sync_region_barrier_implicit_workshare:
      return ompt_state_wait_barrier_implicit_workshare;
    case ompt_sync_region_barrier_implicit_parallel:
      return ompt_state_wait_barrier_implicit_parallel;
    default:
      return ompt_state_wait_barrier_implementation;
  }
}

int state_at(ompt_mutex_t kind) {
  switch (kind) {
    case ompt_mutex_critical:
      return ompt_state_wait_critical;
    case ompt_mutex_atomic:
      return ompt_state_wait_atomic;
    case ompt_mutex_ordered:
      return ompt_state_wait_ordered;
    default:
      return ompt_state_wait_lock;
  }
}

ompt_wait_id_t id_of(const void* mutex) { return reinterpret_cast<std::uintptr_t>(mutex); }

// The region's last barrier is each thread's own affair: the program does not call it there.
void tell_sync(Member& member, ompt_callbacks_t event, ompt_sync_region_t kind,
               ompt_scope_endpoint_t endpoint) {
  const bool joins = kind == ompt_sync_region_barrier_implicit_parallel;
  ompt_data_t* const parallel =
      joins && endpoint == ompt_scope_end ? nullptr : member.tool.parallel;
  const void* const site = joins && member.number != 0 ? nullptr : call_site().address;
  tell<ompt_callback_sync_region_t>(event, kind, endpoint, parallel, task_data(member), site);
}

}  // namespace

ompt_data_t* task_data(const Member& member) {
  const auto& tool = member.task->tool;
  return tool != nullptr ? tool->data : nullptr;
}

ompt_sync_region_t barrier_kind(const Ident* loc) {
  if (loc != nullptr && (loc->flags & kExplicitBarrier) != 0) {
    return ompt_sync_region_barrier_explicit;
  }
  if (loc != nullptr && (loc->flags & kImplicitBarrier) != 0) {
    return ompt_sync_region_barrier_implicit_workshare;
  }
  return ompt_sync_region_barrier_implementation;
}

void begin_sync(Member& member, ompt_sync_region_t kind) {
  if (watched()) tell_sync(member, ompt_callback_sync_region, kind, ompt_scope_begin);
}

void begin_wait(Member& member, ompt_sync_region_t kind) {
  member.tool.state = state_at(kind);
  tell_sync(member, ompt_callback_sync_region_wait, kind, ompt_scope_begin);
}

void end_wait(Member& member, ompt_sync_region_t kind) {
  tell_sync(member, ompt_callback_sync_region_wait, kind, ompt_scope_end);
  member.tool.state = ompt_state_work_parallel;
}

void end_sync(Member& member, ompt_sync_region_t kind) {
  if (watched()) tell_sync(member, ompt_callback_sync_region, kind, ompt_scope_end);
}

// Meanwhile the task has left the program where it has called.
void Waiting::begin() {
  if (const auto& task = member_.task->tool; task != nullptr) {
    outer_frame_ = std::exchange(task->frame->enter_frame.ptr, call_site().frame);
  }
  if (whole_ == Whole::kYes) begin_sync(member_, kind_);
  begin_wait(member_, kind_);
}

void Waiting::end() {
  end_wait(member_, kind_);
  if (whole_ == Whole::kYes) end_sync(member_, kind_);
  if (const auto& task = member_.task->tool; task != nullptr) {
    task->frame->enter_frame.ptr = outer_frame_;
  }
}

void begin_join(Member& member) {
  if (!watched() || member.tool.joins) return;
  member.tool.joins = true;
  begin_sync(member, ompt_sync_region_barrier_implicit_parallel);
  begin_wait(member, ompt_sync_region_barrier_implicit_parallel);
}

void end_join(Member& member) {
  if (!watched()) return;
  end_wait(member, ompt_sync_region_barrier_implicit_parallel);
  end_sync(member, ompt_sync_region_barrier_implicit_parallel);
}

void tell_reduction(Member& member, ompt_scope_endpoint_t endpoint) {
  if (!watched()) return;
  tell<ompt_callback_sync_region_t>(ompt_callback_reduction, ompt_sync_region_reduction, endpoint,
                                    member.tool.parallel, task_data(member), call_site().address);
}

void Locking::begin(unsigned hint) {
  constexpr unsigned kImplementation = kmp_mutex_impl_queuing;
  if (Member* const member = current_member(); member != nullptr) {
    outer_state_ = std::exchange(member->tool.state, state_at(kind_));
    member->tool.wait_id = id_of(mutex_);
  }
  tell<ompt_callback_mutex_acquire_t>(ompt_callback_mutex_acquire, kind_, hint, kImplementation,
                                      id_of(mutex_), call_site().address);
}

void Locking::tell_got() {
  tell<ompt_callback_mutex_t>(ompt_callback_mutex_acquired, kind_, id_of(mutex_),
                              call_site().address);
}

void Locking::end() {
  Member* const member = current_member();
  if (member == nullptr) return;
  member->tool.state = outer_state_;
  member->tool.wait_id = 0;
}

void tell_released(ompt_mutex_t kind, const void* mutex) {
  if (!watched()) return;
  tell<ompt_callback_mutex_t>(ompt_callback_mutex_released, kind, id_of(mutex),
                              call_site().address);
}

void tell_lock_init(ompt_mutex_t kind, const void* mutex, unsigned hint) {
  if (!watched()) return;
  constexpr unsigned kImplementation = kmp_mutex_impl_queuing;
  tell<ompt_callback_mutex_acquire_t>(ompt_callback_lock_init, kind, hint, kImplementation,
                                      id_of(mutex), call_site().address);
}

void tell_lock_destroy(ompt_mutex_t kind, const void* mutex) {
  if (!watched()) return;
  tell<ompt_callback_mutex_t>(ompt_callback_lock_destroy, kind, id_of(mutex), call_site().address);
}

void tell_nested(ompt_scope_endpoint_t endpoint, const void* mutex) {
  if (!watched()) return;
  tell<ompt_callback_nest_lock_t>(ompt_callback_nest_lock, endpoint, id_of(mutex),
                                  call_site().address);
}

void tell_work(Member& member, ompt_work_t type, ompt_scope_endpoint_t endpoint,
               std::uint64_t count) {
  if (!watched()) return;
  tell<ompt_callback_work_t>(ompt_callback_work, type, endpoint, member.tool.parallel,
                             task_data(member), count, call_site().address);
}

ompt_work_t static_work(const Ident* loc) {
  const bool is_sections = loc != nullptr && (loc->flags & kSections) != 0;
  return is_sections ? ompt_work_sections : ompt_work_loop_static;
}

void tell_chunk(Member& member, ompt_dispatch_t kind, std::uint64_t start,
                std::uint64_t iterations) {
  if (!watched()) return;
  on_runtime_stack([&] {
    ompt_dispatch_chunk_t chunk = {start, iterations};
    ompt_data_t instance = {0};
    instance.ptr = &chunk;
    tell<ompt_callback_dispatch_t>(ompt_callback_dispatch, member.tool.parallel, task_data(member),
                                   kind, instance);
  });
}

void tell_section(Member& member) {
  if (!watched()) return;
  ompt_data_t instance = {0};
  instance.ptr = const_cast<void*>(call_site().address);
  tell<ompt_callback_dispatch_t>(ompt_callback_dispatch, member.tool.parallel, task_data(member),
                                 ompt_dispatch_section, instance);
}

void tell_doacross(Member& member, ompt_dependence_type_t type,
                   std::span<const std::int64_t> indices) {
  if (!watched()) return;
  on_runtime_stack([&] {
    std::vector<ompt_dependence_t> dependences;
    for (const std::int64_t index : indices) {
      ompt_dependence_t& dependence = dependences.emplace_back();
      dependence.variable.value = static_cast<std::uint64_t>(index);
      dependence.dependence_type = type;
    }
    tell<ompt_callback_dependences_t>(ompt_callback_dependences, task_data(member),
                                      dependences.data(), static_cast<int>(dependences.size()));
  });
}

void tell_cancel(Member& member, std::int32_t kind, ompt_cancel_flag_t what) {
  if (!watched()) return;
  int flags = what;
  if (kind == kCancelParallel) flags |= ompt_cancel_parallel;
  if (kind == kCancelLoop) flags |= ompt_cancel_loop;
  if (kind == kCancelSections) flags |= ompt_cancel_sections;
  if (kind == kCancelTaskgroup) flags |= ompt_cancel_taskgroup;
  tell<ompt_callback_cancel_t>(ompt_callback_cancel, task_data(member), flags, call_site().address);
}

void tell_flush() {
  if (!watched()) return;
  tell<ompt_callback_flush_t>(ompt_callback_flush, real_tools().get_thread_data(),
                              call_site().address);
}

}  // namespace weft::openmp::tools
