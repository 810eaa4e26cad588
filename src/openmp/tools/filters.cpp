// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Events of libomp's on their way to the tool. libomp is called by Weft, not by the program, and
// knows the node's part of a spanning team alone: places, sizes and numbers are put right here, and
// what the tool has heard, or will hear, from Weft is kept back.
#include <link.h>

#include <utility>

#include "openmp/team/team.hpp"
#include "openmp/tools/main_thread.hpp"
#include "openmp/tools/region_part.hpp"
#include "openmp/tools/tool.hpp"

namespace weft::openmp::tools {
namespace {

thread_local CallSite present_site;
thread_local unsigned silences = 0;
// The thread's implicit task in a spanning team, until libomp ends it. In a region of one thread,
// libomp keeps what it has for the inner task where it had the outer one's: data is no name.
thread_local struct {
  const ompt_data_t* data = nullptr;
  unsigned team_size = 0, number = 0;
  unsigned inner = 0;  // implicit tasks that have begun inside it on this thread
  // It is in libomp's join: what libomp tells of it from now on may name a copy of its data.
  bool joins = false;
} spanning_task;
thread_local unsigned requested_threads = 0;

// Whether Weft has called libomp from there.
bool is_in_weft(const void* address) {
  struct Range {
    std::uintptr_t begin, end;
  };
  static const Range range = [] {
    Range found{0, 0};
    dl_iterate_phdr(
        [](dl_phdr_info* object, std::size_t, void* result) {
          auto* const r = static_cast<Range*>(result);
          for (int i = 0; i < object->dlpi_phnum; ++i) {
            const ElfW(Phdr) & header = object->dlpi_phdr[i];
            const std::uintptr_t begin = object->dlpi_addr + header.p_vaddr;
            const auto here = reinterpret_cast<std::uintptr_t>(&is_in_weft);
            if (header.p_type != PT_LOAD || here - begin >= header.p_memsz) continue;
            *r = {begin, begin + header.p_memsz};
            return 1;
          }
          return 0;
        },
        &found);
    return found;
  }();
  const auto value = reinterpret_cast<std::uintptr_t>(address);
  return value >= range.begin && value < range.end;
}

const void* site_of(const void* address) {
  return is_in_weft(address) ? present_site.address : address;
}

template <typename Callback, typename... Arguments>
void pass_on(ompt_callbacks_t event, Arguments... arguments) {
  if (silences == 0) tell<Callback>(event, arguments...);
}

// --- threads, regions and implicit tasks ---

void on_thread_begin(ompt_thread_t type, ompt_data_t* data) {
  if (hold_thread_begin(type, data)) return;
  tell<ompt_callback_thread_begin_t>(ompt_callback_thread_begin, type, data);
}

void on_thread_end(ompt_data_t* data) {
  if (!hold_thread_end()) tell<ompt_callback_thread_end_t>(ompt_callback_thread_end, data);
}

void on_parallel_begin(ompt_data_t* task, const ompt_frame_t* frame, ompt_data_t* parallel,
                       unsigned requested, int flags, const void* address) {
  const void* site = site_of(address);
  // Where the program has entered the runtime, not where Weft has entered libomp.
  if (frame != nullptr && present_site.frame != nullptr && is_in_weft(address)) {
    const_cast<ompt_frame_t*>(frame)->enter_frame.ptr = present_site.frame;
  }
  RegionPart* const part = own_part();
  if (part != nullptr && ++part->depth == 1) {
    part->encountering = task;
    part->expects_task = true;
    if (told_by_node_0() && frame != nullptr) {
      const auto outer = reinterpret_cast<void*>(part->note().outer_frame);
      const_cast<ompt_frame_t*>(frame)->enter_frame.ptr = outer;
    }
    if (is_of_job()) {
      parallel->value = part->note().data;
      return;
    }
    requested = part->note().requested;
    site = reinterpret_cast<const void*>(part->note().site);
  }
  if (const unsigned wanted = std::exchange(requested_threads, 0); wanted > 0) requested = wanted;
  pass_on<ompt_callback_parallel_begin_t>(ompt_callback_parallel_begin, task, frame, parallel,
                                          requested, flags, site);
}

void on_parallel_end(ompt_data_t* parallel, ompt_data_t* task, int flags, const void* address) {
  const void* site = site_of(address);
  RegionPart* const part = own_part();
  if (part != nullptr && --part->depth == 0) {
    if (told_by_node_0()) return;
    site = reinterpret_cast<const void*>(part->note().site);
  }
  pass_on<ompt_callback_parallel_end_t>(ompt_callback_parallel_end, parallel, task, flags, site);
}

// Whether the implicit task that begins on this thread is of the node's part of the spanning team.
bool is_of_part() {
  if (RegionPart* const own = own_part(); own != nullptr) {
    return std::exchange(own->expects_task, false);
  }
  const RegionPart* const part = present_part();
  if (part == nullptr) return false;
  ompt_data_t* outer = nullptr;
  const int found = real_tools().get_task_info(1, nullptr, &outer, nullptr, nullptr, nullptr);
  return found != 0 && outer != nullptr && outer == part->encountering;
}

void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t* parallel, ompt_data_t* task,
                      unsigned team_size, unsigned number, int flags) {
  const bool is_initial = (flags & ompt_task_initial) != 0;
  if (is_initial && hold_initial_task(endpoint, parallel, task, team_size, number, flags)) return;
  if (endpoint == ompt_scope_begin && !is_initial && is_of_part()) {
    const Team& team = present_part()->team();
    spanning_task = {.data = task,
                     .team_size = team.size,
                     .number = team.first + number,
                     .inner = 0,
                     .joins = false};
  } else if (endpoint == ompt_scope_begin && spanning_task.data != nullptr) {
    ++spanning_task.inner;
  }
  const bool spans = spanning_task.data != nullptr && spanning_task.inner == 0;
  if (spans) {
    team_size = spanning_task.team_size;
    number = spanning_task.number;
  } else if (spanning_task.data != nullptr && endpoint == ompt_scope_end) {
    --spanning_task.inner;
  }
  if (spans && endpoint == ompt_scope_end) spanning_task = {};
  if (!spans && silences > 0) return;
  tell<ompt_callback_implicit_task_t>(ompt_callback_implicit_task, endpoint, parallel, task,
                                      team_size, number, flags);
}

// --- what happens inside of regions ---

// The task has left the program where that has called Weft.
void note_frame(const void* address) {
  if (!is_in_weft(address) || present_site.frame == nullptr) return;
  ompt_frame_t* frame = nullptr;
  (void)real_tools().get_task_info(0, nullptr, nullptr, &frame, nullptr, nullptr);
  if (frame != nullptr) frame->enter_frame.ptr = present_site.frame;
}

// A spanning team has been at Weft's own barrier when libomp's join comes.
template <ompt_callbacks_t kEvent>
void on_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t* parallel,
                    ompt_data_t* task, const void* address) {
  if (kind == ompt_sync_region_barrier_implicit_parallel) {
    if (task != nullptr && task == spanning_task.data && spanning_task.inner == 0) {
      spanning_task.joins = true;
    }
    if (spanning_task.joins) return;
  } else if (endpoint == ompt_scope_begin) {
    note_frame(address);
  }
  pass_on<ompt_callback_sync_region_t>(kEvent, kind, endpoint, parallel, task, site_of(address));
}

void on_work(ompt_work_t type, ompt_scope_endpoint_t endpoint, ompt_data_t* parallel,
             ompt_data_t* task, std::uint64_t count, const void* address) {
  pass_on<ompt_callback_work_t>(ompt_callback_work, type, endpoint, parallel, task, count,
                                site_of(address));
}

// Of a section, what is dispatched is named by where the program has asked for it.
void on_dispatch(ompt_data_t* parallel, ompt_data_t* task, ompt_dispatch_t kind,
                 ompt_data_t instance) {
  if (kind == ompt_dispatch_section) instance.ptr = const_cast<void*>(site_of(instance.ptr));
  pass_on<ompt_callback_dispatch_t>(ompt_callback_dispatch, parallel, task, kind, instance);
}

void on_task_create(ompt_data_t* outer, const ompt_frame_t* frame, ompt_data_t* task, int flags,
                    int dependences, const void* address) {
  if ((flags & ompt_task_initial) != 0 && told_by_node_0()) return;
  pass_on<ompt_callback_task_create_t>(ompt_callback_task_create, outer, frame, task, flags,
                                       dependences, site_of(address));
}

void on_masked(ompt_scope_endpoint_t endpoint, ompt_data_t* parallel, ompt_data_t* task,
               const void* address) {
  pass_on<ompt_callback_masked_t>(ompt_callback_masked, endpoint, parallel, task, site_of(address));
}

template <ompt_callbacks_t kEvent>
void on_mutex_acquire(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t id,
                      const void* address) {
  pass_on<ompt_callback_mutex_acquire_t>(kEvent, kind, hint, impl, id, site_of(address));
}

template <ompt_callbacks_t kEvent>
void on_mutex(ompt_mutex_t kind, ompt_wait_id_t id, const void* address) {
  pass_on<ompt_callback_mutex_t>(kEvent, kind, id, site_of(address));
}

void on_nest_lock(ompt_scope_endpoint_t endpoint, ompt_wait_id_t id, const void* address) {
  pass_on<ompt_callback_nest_lock_t>(ompt_callback_nest_lock, endpoint, id, site_of(address));
}

void on_flush(ompt_data_t* thread, const void* address) {
  pass_on<ompt_callback_flush_t>(ompt_callback_flush, thread, site_of(address));
}

void on_cancel(ompt_data_t* task, int flags, const void* address) {
  pass_on<ompt_callback_cancel_t>(ompt_callback_cancel, task, flags, site_of(address));
}

template <typename Function>
ompt_callback_t as_callback(Function* function) {
  return reinterpret_cast<ompt_callback_t>(function);
}

}  // namespace

ompt_callback_t filter_of(ompt_callbacks_t event, ompt_callback_t own) {
  switch (event) {
    case ompt_callback_thread_begin:
      return as_callback(on_thread_begin);
    case ompt_callback_thread_end:
      return as_callback(on_thread_end);
    case ompt_callback_parallel_begin:
      return as_callback(on_parallel_begin);
    case ompt_callback_parallel_end:
      return as_callback(on_parallel_end);
    case ompt_callback_implicit_task:
      return as_callback(on_implicit_task);
    case ompt_callback_sync_region:
      return as_callback(on_sync_region<ompt_callback_sync_region>);
    case ompt_callback_sync_region_wait:
      return as_callback(on_sync_region<ompt_callback_sync_region_wait>);
    case ompt_callback_reduction:
      return as_callback(on_sync_region<ompt_callback_reduction>);
    case ompt_callback_work:
      return as_callback(on_work);
    case ompt_callback_dispatch:
      return as_callback(on_dispatch);
    case ompt_callback_task_create:
      return as_callback(on_task_create);
    case ompt_callback_masked:
      return as_callback(on_masked);
    case ompt_callback_lock_init:
      return as_callback(on_mutex_acquire<ompt_callback_lock_init>);
    case ompt_callback_mutex_acquire:
      return as_callback(on_mutex_acquire<ompt_callback_mutex_acquire>);
    case ompt_callback_lock_destroy:
      return as_callback(on_mutex<ompt_callback_lock_destroy>);
    case ompt_callback_mutex_acquired:
      return as_callback(on_mutex<ompt_callback_mutex_acquired>);
    case ompt_callback_mutex_released:
      return as_callback(on_mutex<ompt_callback_mutex_released>);
    case ompt_callback_nest_lock:
      return as_callback(on_nest_lock);
    case ompt_callback_flush:
      return as_callback(on_flush);
    case ompt_callback_cancel:
      return as_callback(on_cancel);
    default:
      return own;
  }
}

void note_request(unsigned threads) {
  if (watched()) requested_threads = threads;
}

const CallSite& call_site() { return present_site; }

void Call::enter(const void* address, void* frame) {
  outer_ = present_site;
  present_site = {address, frame};
}

void Call::leave() { present_site = outer_; }

Silence::Silence() { ++silences; }
Silence::~Silence() { --silences; }
bool is_silent() { return silences > 0; }

}  // namespace weft::openmp::tools
