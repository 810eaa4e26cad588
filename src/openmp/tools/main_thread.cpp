// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "openmp/tools/main_thread.hpp"

#include <utility>

#include "openmp/tools/tool.hpp"

namespace weft::openmp::tools {
namespace {

thread_local bool is_main = false;

const ompt_data_t* initial_task = nullptr;

// Of the one main thread.
struct {
  bool is_held = false;
  ompt_thread_t type = ompt_thread_initial;
  ompt_data_t* thread = nullptr;
  bool has_task = false;
  ompt_data_t *parallel = nullptr, *task = nullptr;
  unsigned teams = 0, index = 0;
  int flags = 0;
} held;

bool is_held_here() { return is_main && held.is_held; }

}  // namespace

bool hold_thread_begin(ompt_thread_t type, ompt_data_t* thread) {
  static bool is_first = true;
  if (type != ompt_thread_initial || !is_first) return false;
  is_first = false;
  is_main = true;
  held.is_held = true;
  held.type = told_by_node_0() ? ompt_thread_worker : type;
  held.thread = thread;
  return true;
}

bool hold_thread_end() { return is_held_here(); }

bool hold_initial_task(ompt_scope_endpoint_t endpoint, ompt_data_t* parallel, ompt_data_t* task,
                       unsigned teams, unsigned index, int flags) {
  if (!is_main) return false;
  if (initial_task == nullptr) initial_task = task;
  if (told_by_node_0()) return true;
  if (!held.is_held) return false;
  held.has_task = endpoint == ompt_scope_begin;
  held.parallel = parallel;
  held.task = task;
  held.teams = teams;
  held.index = index;
  held.flags = flags;
  return true;
}

const ompt_data_t* initial_task_of_main_thread() { return initial_task; }

void tell_held_thread() {
  if (!is_held_here()) return;
  held.is_held = false;
  tell<ompt_callback_thread_begin_t>(ompt_callback_thread_begin, held.type, held.thread);
  if (!std::exchange(held.has_task, false)) return;
  tell<ompt_callback_implicit_task_t>(ompt_callback_implicit_task, ompt_scope_begin, held.parallel,
                                      held.task, held.teams, held.index, held.flags);
}

}  // namespace weft::openmp::tools
