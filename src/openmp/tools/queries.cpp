// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a tool may ask. A thread of a spanning team has Weft's tasks on top of libomp's implicit
// one; its team and its number are the whole team's.
#include <array>
#include <cstring>

#include "openmp/tasks/task_block.hpp"
#include "openmp/team/team.hpp"
#include "openmp/tools/main_thread.hpp"
#include "openmp/tools/tool.hpp"

namespace weft::openmp::tools {
namespace {

int get_state(ompt_wait_id_t* wait_id) {
  tell_held_thread();
  const Member* const member = current_member();
  if (member == nullptr) return real_tools().get_state(wait_id);
  if (wait_id != nullptr) *wait_id = member->tool.wait_id;
  return member->tool.state;
}

// Regions of the program's own threads are inside of nothing.
bool descends_from_main_thread() {
  ompt_data_t* outermost = nullptr;
  ompt_data_t* task = nullptr;
  for (int level = 0;; ++level, outermost = task) {
    if (real_tools().get_task_info(level, nullptr, &task, nullptr, nullptr, nullptr) == 0) break;
  }
  return outermost == initial_task_of_main_thread();
}

// The spanning team, if its region is this far out from the present one. Not to be told by its
// data: libomp keeps that of a region of one thread where it had the outer region's.
const Team* spanning_team(int regions_out) {
  const Team* const team = present_team();
  if (team == nullptr || real().omp_get_level() - regions_out != team->level) return nullptr;
  return descends_from_main_thread() ? team : nullptr;
}

// How far out the region is in which libomp's task at this level is.
int regions_out(int task_level) {
  int regions = 0;
  for (int level = 0; level < task_level; ++level) {
    int flags = 0;
    if (real_tools().get_task_info(level, &flags, nullptr, nullptr, nullptr, nullptr) == 0) break;
    if ((flags & ompt_task_implicit) != 0) ++regions;
  }
  return regions;
}

int get_parallel_info(int ancestor_level, ompt_data_t** parallel_data, int* team_size) {
  tell_held_thread();
  ompt_data_t* parallel = nullptr;
  int size = 0;
  const int result = real_tools().get_parallel_info(ancestor_level, &parallel, &size);
  if (const Team* const team = spanning_team(ancestor_level); team != nullptr) {
    size = static_cast<int>(team->size);
  }
  if (result != 0 && parallel_data != nullptr) *parallel_data = parallel;
  if (result != 0 && team_size != nullptr) *team_size = size;
  return result;
}

struct TaskQuestion {
  int* flags;
  ompt_data_t** task_data;
  ompt_frame_t** frame;
  ompt_data_t** parallel_data;
  int* thread_num;
};

template <typename T>
void answer(T* place, T value) {
  if (place != nullptr) *place = value;
}

// The task of Weft's that the member executes, or has suspended, at this level; the level that is
// left if they are fewer.
const tasks::Task* explicit_task(const Member& member, int& level) {
  const tasks::Task* task = member.task;
  while (task != nullptr && task != &member.implicit_task) {
    if (task->tool == nullptr) return nullptr;
    if (level-- == 0) return task;
    task = task->tool->suspended;
  }
  return nullptr;
}

int get_task_info(int ancestor_level, int* flags, ompt_data_t** task_data, ompt_frame_t** frame,
                  ompt_data_t** parallel_data, int* thread_num) {
  if (ancestor_level < 0) return 0;
  tell_held_thread();
  int level = ancestor_level;
  if (const Member* const member = current_member(); member != nullptr) {
    if (const tasks::Task* const task = explicit_task(*member, level); task != nullptr) {
      answer(flags, task->tool->flags);
      answer(task_data, task->tool->data);
      answer(frame, task->tool->frame);
      answer(parallel_data, member->tool.parallel);
      answer(thread_num, static_cast<int>(member->number));
      return 2;
    }
  }
  ompt_data_t* parallel = nullptr;
  int number = 0;
  const int result = real_tools().get_task_info(level, flags, task_data, frame, &parallel, &number);
  if (const Team* const team = spanning_team(regions_out(level)); team != nullptr) {
    number += static_cast<int>(team->first);
  }
  if (result != 0) {
    answer(parallel_data, parallel);
    answer(thread_num, number);
  }
  return result;
}

int get_task_memory(void** address, std::size_t* size, int block) {
  const Member* const member = current_member();
  if (member == nullptr || member->task->block == nullptr) {
    return real_tools().get_task_memory(address, size, block);
  }
  // One block: what the compiler asked for beyond what it knows of each task.
  if (block != 0) return 0;
  *address = static_cast<std::byte*>(member->task->block) + sizeof(tasks::TaskBlock);
  *size = member->task->block_bytes - sizeof(tasks::TaskBlock);
  return 0;
}

ompt_data_t* get_thread_data() {
  tell_held_thread();
  return real_tools().get_thread_data();
}

// As omp_get_num_procs.
int get_num_procs() {
  const Node& node = *this_node();
  return static_cast<int>(node.node_count() * node.threads_per_node());
}

struct Query {
  const char* name;
  ompt_interface_fn_t function;
};

template <typename F>
Query query(const char* name, F* function) {
  return {name, reinterpret_cast<ompt_interface_fn_t>(function)};
}

}  // namespace

ompt_interface_fn_t query_named(const char* name) {
  static const std::array queries = {
      query("ompt_set_callback", set_callback),
      query("ompt_get_callback", get_callback),
      query("ompt_get_state", get_state),
      query("ompt_get_parallel_info", get_parallel_info),
      query("ompt_get_task_info", get_task_info),
      query("ompt_get_task_memory", get_task_memory),
      query("ompt_get_thread_data", get_thread_data),
      query("ompt_get_unique_id", unique_id),
      query("ompt_get_num_procs", get_num_procs),
  };
  for (const Query& q : queries) {
    if (std::strcmp(q.name, name) == 0) return q.function;
  }
  return nullptr;
}

}  // namespace weft::openmp::tools
