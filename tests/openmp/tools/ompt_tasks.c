// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// environment: OMP_CANCELLATION=true
//
// A tool (OMPT) that watches tasks: each is created once, by whichever thread, begun and ended
// once, on whatever node, and its data goes with it; and so do dependences, taskloops, groups,
// waits and cancellation.

#include <omp.h>

#include "../check.h"
#include "ompt_tool.h"

enum { kProduced = 60, kDepth = 4, kLoop = 40, kChain = 8, kMostTasks = 1024 };
enum { kRows = 6, kColumns = 4 };
static int nodes, created, begun, ended, cancelled, detached, fulfilled;
static int created_by[kMostTasks], begun_by[kMostTasks], ended_by[kMostTasks];
static int dependences, edges, sinks, sources, groups[2], waits[2], loops[2], cancels;
static uint64_t next_task = 1000;
static ompt_get_task_info_t get_task_info;
static ompt_get_task_memory_t get_task_memory;

static void on_task_create(ompt_data_t* parent, const ompt_frame_t* frame, ompt_data_t* task,
                           int flags, int has_dependences, const void* address) {
  (void)parent, (void)frame, (void)has_dependences, (void)address;
  if ((flags & ompt_task_explicit) == 0) return;
  EXPECT(task->value == 0, "A new task has data.");
  task->value = __atomic_fetch_add(&next_task, 1, __ATOMIC_RELAXED);
  COUNT(created_by[task->value - 1000]);
  COUNT(created);
}
static int is_explicit(const ompt_data_t* task) { return task != NULL && task->value >= 1000; }
static void on_task_schedule(ompt_data_t* prior, ompt_task_status_t status, ompt_data_t* next) {
  if (status == ompt_task_early_fulfill || status == ompt_task_late_fulfill) {
    EXPECT(is_explicit(prior) && next == NULL, "No task's event is fulfilled.");
    const int has_ended = ended_by[prior->value - 1000];
    if (status == ompt_task_late_fulfill) EXPECT(has_ended == 1, "Fulfilled late, not at all.");
    COUNT(fulfilled);
    return;
  }
  if (status == ompt_task_switch || status == ompt_task_yield) {
    EXPECT(is_explicit(next), "Nothing begins.");
    COUNT(begun_by[next->value - 1000]);
    COUNT(begun);
    return;
  }
  if (status == ompt_taskwait_complete) return;
  EXPECT(is_explicit(prior), "Nothing ends.");
  COUNT(ended_by[prior->value - 1000]);
  if (status == ompt_task_complete) COUNT(ended);
  if (status == ompt_task_cancel) COUNT(cancelled);
  if (status == ompt_task_detach) COUNT(detached);
}
static void on_dependences(ompt_data_t* task, const ompt_dependence_t* list, int count) {
  if (count == 2 && list[0].dependence_type == ompt_dependence_type_sink) {
    EXPECT(list[1].dependence_type == ompt_dependence_type_sink, "Half a sink.");
    COUNT(sinks);
    return;
  }
  if (count == 2 && list[0].dependence_type == ompt_dependence_type_source) {
    EXPECT(list[0].variable.value < kRows && list[1].variable.value < kColumns,
           "Out of the loops.");
    COUNT(sources);
    return;
  }
  EXPECT(count == 1 && list[0].dependence_type == ompt_dependence_type_inout, "%d dependences.",
         count);
  (void)task;
  COUNT(dependences);
}
static void on_task_dependence(ompt_data_t* source, ompt_data_t* sink) {
  EXPECT(is_explicit(source) && is_explicit(sink) && source->value != sink->value,
         "A dependence of no tasks.");
  COUNT(edges);
}
static void on_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
                           ompt_data_t* parallel, ompt_data_t* task, const void* address) {
  (void)parallel, (void)task, (void)address;
  if (kind == ompt_sync_region_taskgroup) COUNT(groups[endpoint == ompt_scope_end]);
  if (kind == ompt_sync_region_taskwait) COUNT(waits[endpoint == ompt_scope_end]);
}
static void on_work(ompt_work_t type, ompt_scope_endpoint_t endpoint, ompt_data_t* parallel,
                    ompt_data_t* task, uint64_t count, const void* address) {
  (void)parallel, (void)task, (void)address;
  if (type != ompt_work_taskloop) return;
  EXPECT(endpoint == ompt_scope_end || count == kLoop, "A taskloop of %d.", (int)count);
  COUNT(loops[endpoint == ompt_scope_end]);
}
static void on_cancel(ompt_data_t* task, int flags, const void* address) {
  (void)task, (void)address;
  if ((flags & ompt_cancel_activated) != 0) COUNT(cancels);
}

static void start_watching(ompt_function_lookup_t lookup) {
  get_task_info = (ompt_get_task_info_t)lookup("ompt_get_task_info");
  WATCH(ompt_callback_task_create, on_task_create);
  WATCH(ompt_callback_task_schedule, on_task_schedule);
  WATCH(ompt_callback_dependences, on_dependences);
  WATCH(ompt_callback_task_dependence, on_task_dependence);
  WATCH(ompt_callback_sync_region, on_sync_region);
  WATCH(ompt_callback_work, on_work);
  WATCH(ompt_callback_cancel, on_cancel);
  get_task_memory = (ompt_get_task_memory_t)lookup("ompt_get_task_memory");
  COUNT(nodes);
}
static void end_watching(void) {}

// What the tool may ask from inside a task: the data that it gave to it, on whatever node.
static void ask(void) {
  ompt_data_t* task = NULL;
  int flags = 0;
  EXPECT(get_task_info(0, &flags, &task, NULL, NULL, NULL) == 2, "There is no task.");
  EXPECT((flags & ompt_task_explicit) != 0 && is_explicit(task), "The task is of kind %x.",
         (unsigned)flags);
  EXPECT(begun_by[task->value - 1000] == 1, "The task has not begun.");
  void* memory = NULL;
  size_t bytes = 0;
  get_task_memory(&memory, &bytes, 0);
  EXPECT(memory != NULL && bytes < 4096, "The task has %zu bytes.", bytes);
}

static void recurse(int depth) {
  if (depth == 0) return;
#pragma omp task
  recurse(depth - 1);
#pragma omp task
  recurse(depth - 1);
#pragma omp taskwait
}

static void doacross(void) {
  static long cells[kRows][kColumns];
#pragma omp parallel for ordered(2)
  for (int i = 0; i < kRows; ++i) {
    for (int j = 0; j < kColumns; ++j) {
#pragma omp ordered depend(sink : i - 1, j)
      cells[i][j] = i > 0 ? cells[i - 1][j] + 1 : 0;
#pragma omp ordered depend(source)
    }
  }
  EXPECT(cells[kRows - 1][kColumns - 1] == kRows - 1, "Out of order.");
  // A team of one thread has nothing to wait for, and libomp does not say so.
  const int has_team = omp_get_max_threads() > 1;
  EXPECT(sources == (has_team ? kRows * kColumns : 0), "%d sources.", sources);
  EXPECT(sinks == (has_team ? (kRows - 1) * kColumns : 0), "%d sinks.", sinks);
}

// Tasks whose events other tasks fulfil, wherever these are executed.
static void events(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kChain; ++i) {
    omp_event_handle_t event;
#pragma omp task detach(event)
    if (i % 2 == 0) ask();
#pragma omp task firstprivate(event)
    omp_fulfill_event(event);
  }
}

static void check(const char* what, int tasks) {
  EXPECT(created == tasks, "%s: %d tasks were created, not %d.", what, created, tasks);
  EXPECT(begun == tasks, "%s: %d tasks were begun, not %d.", what, begun, tasks);
  const int ends = ended + cancelled + detached;
  EXPECT(ends == tasks, "%s: %d tasks were ended, not %d.", what, ends, tasks);
  for (int i = 0; i < tasks; ++i) {
    EXPECT(created_by[i] == 1 && begun_by[i] == 1 && ended_by[i] == 1,
           "%s: task %d was created %d, begun %d, ended %d times.", what, i, created_by[i],
           begun_by[i], ended_by[i]);
  }
}

int main(void) {
  int tasks = 0;
  long sum = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kProduced; ++i) {
#pragma omp task
    {
      ask();
#pragma omp atomic
      sum += i;
    }
  }
  check("one producer", tasks += kProduced);
#pragma omp parallel
#pragma omp single
  recurse(kDepth);
  check("recursion", tasks += (2 << kDepth) - 2);
  EXPECT(waits[0] == waits[1] && waits[0] == (1 << kDepth) - 1, "%d and %d taskwaits.", waits[0],
         waits[1]);
#pragma omp parallel
#pragma omp single
#pragma omp taskloop num_tasks(10)
  for (int i = 0; i < kLoop; ++i) {
#pragma omp atomic
    sum += i;
  }
  check("taskloop", tasks += 10);
  EXPECT(loops[0] == 1 && loops[1] == 1, "%d and %d taskloops.", loops[0], loops[1]);
  EXPECT(groups[0] == 1 && groups[1] == 1, "%d and %d groups.", groups[0], groups[1]);

  int chain = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kChain; ++i) {
#pragma omp task depend(inout : chain)
    ++chain;
  }
  check("dependences", tasks += kChain);
  EXPECT(chain == kChain && dependences == kChain, "%d dependences.", dependences);
  EXPECT(edges <= kChain - 1, "%d edges.", edges);
#pragma omp parallel
#pragma omp single
#pragma omp task if (0)
  ask();
  check("undeferred", tasks += 1);
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup
  for (int i = 0; i < kChain; ++i) {
#pragma omp task
    {
#pragma omp cancel taskgroup
    }
  }
  // libomp does not say that tasks begin that it drops.
  if (nodes > 1) check("cancelled", tasks + kChain);
  EXPECT(cancels >= 1 && cancelled >= 1, "%d cancels, %d tasks.", cancels, cancelled);
  doacross();
  const int tasks_before = created;
  events();
  if (nodes > 1) check("events", tasks_before + 2 * kChain);
  EXPECT(fulfilled == kChain, "%d events were fulfilled.", fulfilled);
  EXPECT(detached <= kChain, "%d tasks were detached.", detached);
  EXPECT(sum == kProduced * (kProduced - 1) / 2 + kLoop * (kLoop - 1) / 2, "The sum is %ld.", sum);
  return ok();
}
