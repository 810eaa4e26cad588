// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tool (OMPT) that is part of the program: it starts on every node, its callbacks come in pairs
// and may use the program's memory, and it finishes on every node while that is still there.

#include <omp-tools.h>
#include <omp.h>

#include "check.h"

enum { kRegions = 5 };
static int started, thread_begins, parallel_begins, parallel_ends, task_begins, task_ends,
    tasks_made, works, syncs;

#define COUNT(counter) __atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED)

static void on_thread_begin(ompt_thread_t type, ompt_data_t* thread) {
  (void)type;
  thread->value = 17;
  COUNT(thread_begins);
}
static void on_parallel_begin(ompt_data_t* task, const ompt_frame_t* frame, ompt_data_t* parallel,
                              unsigned int requested, int flags, const void* address) {
  (void)task, (void)frame, (void)requested, (void)flags, (void)address;
  parallel->value = 4711;
  COUNT(parallel_begins);
}
static void on_parallel_end(ompt_data_t* parallel, ompt_data_t* task, int flags,
                            const void* address) {
  (void)task, (void)flags, (void)address;
  EXPECT(parallel->value == 4711, "A region has lost its data.");
  COUNT(parallel_ends);
}
static void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t* parallel,
                             ompt_data_t* task, unsigned int size, unsigned int index, int flags) {
  (void)parallel, (void)size, (void)index;
  if ((flags & ompt_task_initial) != 0) return;
  if (endpoint == ompt_scope_begin) {
    task->value = 99;
    COUNT(task_begins);
  } else {
    EXPECT(task->value == 99, "An implicit task has lost its data.");
    COUNT(task_ends);
  }
}
static void on_task_create(ompt_data_t* parent, const ompt_frame_t* frame, ompt_data_t* task,
                           int flags, int dependences, const void* address) {
  (void)parent, (void)frame, (void)task, (void)dependences, (void)address;
  if ((flags & ompt_task_explicit) != 0) COUNT(tasks_made);
}
static void on_work(ompt_work_t type, ompt_scope_endpoint_t endpoint, ompt_data_t* parallel,
                    ompt_data_t* task, uint64_t count, const void* address) {
  (void)type, (void)endpoint, (void)parallel, (void)task, (void)count, (void)address;
  COUNT(works);
}
static void on_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
                           ompt_data_t* parallel, ompt_data_t* task, const void* address) {
  (void)kind, (void)endpoint, (void)parallel, (void)task, (void)address;
  COUNT(syncs);
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t* data) {
  (void)device, (void)data;
  ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
  set(ompt_callback_thread_begin, (ompt_callback_t)on_thread_begin);
  set(ompt_callback_parallel_begin, (ompt_callback_t)on_parallel_begin);
  set(ompt_callback_parallel_end, (ompt_callback_t)on_parallel_end);
  set(ompt_callback_implicit_task, (ompt_callback_t)on_implicit_task);
  set(ompt_callback_task_create, (ompt_callback_t)on_task_create);
  set(ompt_callback_work, (ompt_callback_t)on_work);
  set(ompt_callback_sync_region, (ompt_callback_t)on_sync_region);
  COUNT(started);
  return 1;
}

static void finalize(ompt_data_t* data) {
  (void)data;
  EXPECT(thread_begins > 0 && started > 0, "The tool's memory is gone.");
  // How many regions have ended by now depends on how far the other nodes are.
  EXPECT(parallel_ends > 0 && task_ends > 0, "%d regions and %d tasks have ended.", parallel_ends,
         task_ends);
}

ompt_start_tool_result_t* ompt_start_tool(unsigned int version, const char* runtime) {
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  (void)version, (void)runtime;
  return &result;
}

int main(void) {
  const int threads = omp_get_max_threads();
  long sum = 0;
  for (int region = 0; region < kRegions; ++region) {
#pragma omp parallel reduction(+ : sum)
    {
#pragma omp for schedule(dynamic)
      for (int i = 0; i < 100; ++i) sum += i;
#pragma omp task
      (void)0;
#pragma omp barrier
#pragma omp critical
      ++sum;
    }
  }
  EXPECT(sum == kRegions * (4950L + threads), "The sum is %ld.", sum);
  EXPECT(started >= 1 && started <= threads, "The tool has started %d times.", started);
  EXPECT(thread_begins >= threads, "%d threads began.", thread_begins);
  EXPECT(parallel_begins >= kRegions && parallel_begins == started * kRegions,
         "%d regions began on %d nodes.", parallel_begins, started);
  EXPECT(task_begins == threads * kRegions, "%d implicit tasks began.", task_begins);
  // Tasks of a team that spans nodes are Weft's, of which the tool hears nothing.
  EXPECT(tasks_made == (started > 1 ? 0 : threads * kRegions), "%d tasks were made.", tasks_made);
  // Of barriers those that libomp makes, as it does where a node has several threads.
  EXPECT(syncs > 0 || started == threads, "No barrier was reported.");
  return ok();
}
