// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// flags: -fno-omit-frame-pointer
//
// What a tool (OMPT) that is part of the program hears and may ask about regions inside of each
// other, of one thread and of several, on whatever node: sizes, numbers and data at each level, and
// where each task has left the program. Numbers that the runtime gives to threads and tasks grow
// with time, and the program's own thread is the first of all.

#include <omp.h>

#include "../check.h"
#include "ompt_tool.h"

enum { kInner = 3, kOuterData = 4711, kMostThreads = 64 };
static ompt_get_task_info_t get_task_info;
static ompt_get_parallel_info_t get_parallel_info;
static ompt_get_thread_data_t get_thread_data;
static ompt_get_unique_id_t get_unique_id;
static int threads_begun, initial_begun, outer_begun, worker_before_initial;
static int sizes_seen[kMostThreads + 1];
static uint64_t outer_ids[kMostThreads];
// Several nodes: on one, libomp starts when the program first uses it.
static int nodes;

static void on_thread_begin(ompt_thread_t type, ompt_data_t* thread) {
  thread->value = get_unique_id();
  if (type == ompt_thread_initial) {
    COUNT(initial_begun);
  } else if (READ(initial_begun) == 0) {
    COUNT(worker_before_initial);
  }
  COUNT(threads_begun);
}
static void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t* parallel,
                             ompt_data_t* task, unsigned int size, unsigned int index, int flags) {
  (void)parallel, (void)index;
  if (endpoint != ompt_scope_begin) return;
  task->value = (flags & ompt_task_initial) != 0 ? kOuterData : get_unique_id();
  if ((flags & ompt_task_initial) == 0 && size <= kMostThreads) COUNT(sizes_seen[size]);
}

static void start_watching(ompt_function_lookup_t lookup) {
  get_task_info = (ompt_get_task_info_t)lookup("ompt_get_task_info");
  get_parallel_info = (ompt_get_parallel_info_t)lookup("ompt_get_parallel_info");
  get_thread_data = (ompt_get_thread_data_t)lookup("ompt_get_thread_data");
  get_unique_id = (ompt_get_unique_id_t)lookup("ompt_get_unique_id");
  WATCH(ompt_callback_thread_begin, on_thread_begin);
  WATCH(ompt_callback_implicit_task, on_implicit_task);
  COUNT(nodes);
}
static void end_watching(void) {
  EXPECT(worker_before_initial == 0, "%d workers began before the program.", worker_before_initial);
}

// The task at a level, from inside: its thread's number, and whether it has left the program.
static void check_task(int level, int number, int has_left) {
  int found = -1;
  ompt_frame_t* frame = NULL;
  EXPECT(get_task_info(level, NULL, NULL, &frame, NULL, &found) == 2, "No level %d.", level);
  EXPECT(found == number, "Thread %d, not %d, at level %d.", found, number, level);
  EXPECT((frame->enter_frame.ptr != NULL) == has_left, "The frame at level %d is %p.", level,
         frame->enter_frame.ptr);
}
// An implicit task, where there are no others.
static void check_level(int level, int number, int size, int has_left) {
  int found = 0;
  check_task(level, number, has_left);
  EXPECT(get_parallel_info(level, NULL, &found) == 2 && found == size,
         "A region of %d, not %d, at level %d.", found, size, level);
}
static void check_initial(int level) {
  ompt_data_t* data = NULL;
  ompt_frame_t* frame = NULL;
  EXPECT(get_task_info(level, NULL, &data, &frame, NULL, NULL) == 2, "No initial task.");
  EXPECT(data->value == kOuterData, "The initial task's data is %d.", (int)data->value);
  EXPECT(frame->enter_frame.ptr != NULL, "The initial task has not left the program.");
}

static void undeferred(int number, int size) {
  const int now = omp_get_num_threads() < 0;
#pragma omp task if (now)
  {
    check_task(0, number, 0);
    check_task(1, number, 1);
    check_initial(2);
  }
  check_level(0, number, size, 0);
}

static void inside(int number, int size) {
  check_level(0, number, size, 0);
  check_initial(1);
  undeferred(number, size);
  const uint64_t outer_id = get_thread_data()->value;
  outer_ids[number] = outer_id;
#pragma omp barrier
#pragma omp parallel num_threads(1)
  {
    check_level(0, 0, 1, 0);
    check_level(1, number, size, 1);
    check_initial(2);
#pragma omp barrier
#pragma omp parallel num_threads(kInner)
    {
      const int inner = omp_get_thread_num();
      check_level(0, inner, kInner, 0);
      check_level(1, 0, 1, 1);
      check_level(2, number, size, 1);
      check_initial(3);
      const uint64_t id = get_thread_data()->value;
      for (int i = 0; i < size && inner > 0; ++i) {
        EXPECT(id > outer_ids[i], "Thread %d began before %d.", (int)id, (int)outer_ids[i]);
      }
    }
  }
  check_level(0, number, size, 0);
  EXPECT(get_thread_data()->value == outer_id, "The thread has lost its data.");
}

int main(void) {
  const int threads = omp_get_max_threads();
  omp_set_max_active_levels(3);
#pragma omp parallel
  {
    COUNT(outer_begun);
    if (threads > 1) inside(omp_get_thread_num(), threads);
  }
  EXPECT(outer_begun == threads, "%d threads.", outer_begun);
  EXPECT(threads_begun >= threads && initial_begun == 1, "%d threads began, %d of them initial.",
         threads_begun, initial_begun);
  if (threads > 1 && threads != kInner) {
    EXPECT(sizes_seen[threads] == threads && sizes_seen[1] == threads &&
               sizes_seen[kInner] == kInner * threads,
           "%d, %d and %d implicit tasks.", sizes_seen[threads], sizes_seen[1], sizes_seen[kInner]);
  }
  return ok();
}
