// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tool (OMPT) that is part of the program, and so one of the whole job: it starts on every node,
// hears of each region once and of each thread's part in it, in pairs, with the whole team's
// numbers; and it finishes on every node while its memory is still there.

#include <omp.h>

#include "../check.h"
#include "ompt_tool.h"

enum { kRegions = 5, kMostThreads = 64 };
static int started, thread_begins, parallel_begins, parallel_ends, task_begins, task_ends;
static int thread_seen[kMostThreads];
static ompt_get_parallel_info_t get_parallel_info;
static ompt_get_task_info_t get_task_info;
static ompt_get_unique_id_t get_unique_id;
static ompt_get_state_t get_state;
static int team_size;
static unsigned requested_size;

// What begins and ends, by kind.
enum { kExplicit, kImplicit, kJoin, kSyncs };
static int sync_begins[kSyncs], sync_ends[kSyncs], wait_begins[kSyncs], wait_ends[kSyncs];
static int works[32][2], mutexes[8][3], inits[8], destroys[8], nested[2], masked[2], flushes,
    reductions, chunks, iterations;

static int index_of(ompt_sync_region_t kind) {
  switch (kind) {
    case ompt_sync_region_barrier_explicit:
      return kExplicit;
    case ompt_sync_region_barrier_implicit_workshare:
      return kImplicit;
    case ompt_sync_region_barrier_implicit_parallel:
      return kJoin;
    default:
      return -1;
  }
}

static void on_thread_begin(ompt_thread_t type, ompt_data_t* thread) {
  (void)type;
  thread->value = get_unique_id();
  COUNT(thread_begins);
}
static void on_parallel_begin(ompt_data_t* task, const ompt_frame_t* frame, ompt_data_t* parallel,
                              unsigned int requested, int flags, const void* address) {
  (void)task, (void)frame, (void)flags;
  EXPECT(address != NULL, "A region begins nowhere.");
  requested_size = requested;
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
  if ((flags & ompt_task_initial) != 0) return;
  if (endpoint == ompt_scope_begin) {
    EXPECT(parallel->value == 4711, "A thread's part does not have its region's data.");
    EXPECT((int)size == team_size, "A team of %u threads, not %d.", size, team_size);
    if (index < kMostThreads) COUNT(thread_seen[index]);
    task->value = 99 + index;
    COUNT(task_begins);
  } else {
    EXPECT(task->value == 99 + index, "Task of thread %u has lost its data.", index);
    COUNT(task_ends);
  }
}
static void on_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
                           ompt_data_t* parallel, ompt_data_t* task, const void* address) {
  (void)address;
  const int i = index_of(kind);
  if (i < 0) return;
  EXPECT(task->value >= 99, "A barrier of no task.");
  if (endpoint == ompt_scope_begin) {
    EXPECT(parallel->value == 4711, "A barrier of no region.");
    COUNT(sync_begins[i]);
  } else {
    COUNT(sync_ends[i]);
  }
}
static void on_sync_region_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
                                ompt_data_t* parallel, ompt_data_t* task, const void* address) {
  (void)parallel, (void)task, (void)address;
  const int i = index_of(kind);
  if (i < 0) return;
  if (endpoint == ompt_scope_begin) {
    const int state = get_state(NULL);
    // libomp says so a little later.
    EXPECT((state >= 0x10 && state < 0x20) || READ(started) == 1, "State %x in a barrier.",
           (unsigned)state);
    COUNT(wait_begins[i]);
  } else {
    COUNT(wait_ends[i]);
  }
}
static void on_work(ompt_work_t type, ompt_scope_endpoint_t endpoint, ompt_data_t* parallel,
                    ompt_data_t* task, uint64_t count, const void* address) {
  (void)count, (void)address;
  EXPECT(parallel->value == 4711 && task->value >= 99, "Work of no region or task.");
  COUNT(works[type][endpoint == ompt_scope_end]);
}
static void on_dispatch(ompt_data_t* parallel, ompt_data_t* task, ompt_dispatch_t kind,
                        ompt_data_t instance) {
  (void)parallel, (void)task;
  if (kind != ompt_dispatch_ws_loop_chunk) return;
  const ompt_dispatch_chunk_t* chunk = (const ompt_dispatch_chunk_t*)instance.ptr;
  COUNT(chunks);
  __atomic_fetch_add(&iterations, (int)chunk->iterations, __ATOMIC_RELAXED);
}
static void on_acquire(ompt_mutex_t kind, unsigned int hint, unsigned int impl, ompt_wait_id_t id,
                       const void* address) {
  (void)hint, (void)impl;
  EXPECT(id != 0 && address != NULL, "A mutex without a name, or from nowhere.");
  COUNT(mutexes[kind][0]);
}
static void on_acquired(ompt_mutex_t kind, ompt_wait_id_t id, const void* address) {
  (void)id, (void)address;
  COUNT(mutexes[kind][1]);
}
static void on_released(ompt_mutex_t kind, ompt_wait_id_t id, const void* address) {
  (void)id, (void)address;
  COUNT(mutexes[kind][2]);
}
static void on_lock_init(ompt_mutex_t kind, unsigned int hint, unsigned int impl, ompt_wait_id_t id,
                         const void* address) {
  (void)hint, (void)impl, (void)id, (void)address;
  COUNT(inits[kind]);
}
static void on_lock_destroy(ompt_mutex_t kind, ompt_wait_id_t id, const void* address) {
  (void)id, (void)address;
  COUNT(destroys[kind]);
}
static void on_nest_lock(ompt_scope_endpoint_t endpoint, ompt_wait_id_t id, const void* address) {
  (void)id, (void)address;
  COUNT(nested[endpoint == ompt_scope_end]);
}
static void on_masked(ompt_scope_endpoint_t endpoint, ompt_data_t* parallel, ompt_data_t* task,
                      const void* address) {
  (void)parallel, (void)task, (void)address;
  COUNT(masked[endpoint == ompt_scope_end]);
}
static void on_flush(ompt_data_t* thread, const void* address) {
  (void)thread, (void)address;
  COUNT(flushes);
}
static void on_reduction(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
                         ompt_data_t* parallel, ompt_data_t* task, const void* address) {
  (void)kind, (void)parallel, (void)task, (void)address;
  if (endpoint == ompt_scope_begin) COUNT(reductions);
}

static void start_watching(ompt_function_lookup_t lookup) {
  get_parallel_info = (ompt_get_parallel_info_t)lookup("ompt_get_parallel_info");
  get_task_info = (ompt_get_task_info_t)lookup("ompt_get_task_info");
  get_unique_id = (ompt_get_unique_id_t)lookup("ompt_get_unique_id");
  get_state = (ompt_get_state_t)lookup("ompt_get_state");
  WATCH(ompt_callback_thread_begin, on_thread_begin);
  WATCH(ompt_callback_parallel_begin, on_parallel_begin);
  WATCH(ompt_callback_parallel_end, on_parallel_end);
  WATCH(ompt_callback_implicit_task, on_implicit_task);
  WATCH(ompt_callback_sync_region, on_sync_region);
  WATCH(ompt_callback_sync_region_wait, on_sync_region_wait);
  WATCH(ompt_callback_work, on_work);
  WATCH(ompt_callback_dispatch, on_dispatch);
  WATCH(ompt_callback_mutex_acquire, on_acquire);
  WATCH(ompt_callback_mutex_acquired, on_acquired);
  WATCH(ompt_callback_mutex_released, on_released);
  WATCH(ompt_callback_lock_init, on_lock_init);
  WATCH(ompt_callback_lock_destroy, on_lock_destroy);
  WATCH(ompt_callback_nest_lock, on_nest_lock);
  WATCH(ompt_callback_masked, on_masked);
  WATCH(ompt_callback_flush, on_flush);
  WATCH(ompt_callback_reduction, on_reduction);
  COUNT(started);
}

static void end_watching(void) {
  EXPECT(thread_begins > 0 && started > 0, "The tool's memory is gone.");
  // How many parts of regions have ended by now depends on how far the other nodes are.
  EXPECT(parallel_ends > 0 && task_ends > 0, "%d regions and %d tasks have ended.", parallel_ends,
         task_ends);
}

static void run_region(long* sum) {
  static omp_lock_t lock;
  static omp_nest_lock_t nest;
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest);
  long local = 0;
#pragma omp parallel reduction(+ : local)
  {
    int size = 0, number = -1;
    ompt_data_t *parallel = NULL, *task = NULL;
    EXPECT(get_parallel_info(0, &parallel, &size) == 2 && size == omp_get_num_threads() &&
               parallel->value == 4711,
           "The region has %d threads.", size);
    EXPECT(get_task_info(0, NULL, &task, NULL, NULL, &number) == 2 &&
               number == omp_get_thread_num() && task->value == 99u + (unsigned)number,
           "Thread %d is %d.", omp_get_thread_num(), number);
    EXPECT(get_state(NULL) == ompt_state_work_parallel || team_size == 1, "Not working.");
#pragma omp for schedule(dynamic, 7)
    for (int i = 0; i < 100; ++i) local += i;
#pragma omp for schedule(static) nowait
    for (int i = 0; i < 50; ++i) local += i;
#pragma omp single
    ++local;
#pragma omp barrier
#pragma omp critical
    ++*sum;
#pragma omp masked
    ++local;
    omp_set_lock(&lock);
    omp_unset_lock(&lock);
    omp_set_nest_lock(&nest);
    omp_set_nest_lock(&nest);
    omp_unset_nest_lock(&nest);
    omp_unset_nest_lock(&nest);
#pragma omp flush
#pragma omp for ordered schedule(dynamic)
    for (int i = 0; i < 6; ++i) {
#pragma omp ordered
      ++local;
    }
  }
  *sum += local;
  omp_destroy_lock(&lock);
  omp_destroy_nest_lock(&nest);
}

static void expect_pairs(const char* what, int begins, int ends, int expected) {
  EXPECT(begins == expected && ends == expected, "%s: %d begins and %d ends, not %d.", what, begins,
         ends, expected);
}

static void check_counts(int threads) {
  const int all = threads * kRegions;
  EXPECT(started >= 1 && started <= threads, "The tool has started %d times.", started);
  EXPECT(thread_begins >= threads, "%d threads began.", thread_begins);
  expect_pairs("regions", parallel_begins, parallel_ends, kRegions);
  EXPECT((int)requested_size == threads, "%u threads were requested.", requested_size);
  EXPECT(task_begins == all, "%d implicit tasks began.", task_begins);
  for (int i = 0; i < threads; ++i) {
    EXPECT(thread_seen[i] == kRegions, "Thread %d began %d times.", i, thread_seen[i]);
  }
  expect_pairs("explicit barriers", sync_begins[kExplicit], sync_ends[kExplicit], all);
  expect_pairs("waits in them", wait_begins[kExplicit], wait_ends[kExplicit], all);
  expect_pairs("implicit barriers", sync_begins[kImplicit], sync_ends[kImplicit], 3 * all);
  // The last barrier may end after the region, on other threads than the first; where a team has
  // one thread there is none.
  if (threads > 1) EXPECT(sync_begins[kJoin] == all, "%d last barriers.", sync_begins[kJoin]);
  expect_pairs("static loops", works[ompt_work_loop_static][0], works[ompt_work_loop_static][1],
               all);
  expect_pairs("dynamic loops", works[ompt_work_loop_dynamic][0], works[ompt_work_loop_dynamic][1],
               2 * all);
  expect_pairs("executed singles", works[ompt_work_single_executor][0],
               works[ompt_work_single_executor][1], kRegions);
  expect_pairs("other singles", works[ompt_work_single_other][0], works[ompt_work_single_other][1],
               all - kRegions);
  // libomp tells not of all chunks.
  EXPECT(iterations == 156 * kRegions || started == 1, "%d iterations in %d chunks.", iterations,
         chunks);
  expect_pairs("critical", mutexes[ompt_mutex_critical][1], mutexes[ompt_mutex_critical][2], all);
  expect_pairs("locks", mutexes[ompt_mutex_lock][1], mutexes[ompt_mutex_lock][2], all);
  EXPECT(mutexes[ompt_mutex_lock][0] == all, "%d waits.", mutexes[ompt_mutex_lock][0]);
  expect_pairs("nest locks", mutexes[ompt_mutex_nest_lock][1], mutexes[ompt_mutex_nest_lock][2],
               all);
  expect_pairs("nested", nested[0], nested[1], all);
  expect_pairs("ordered", mutexes[ompt_mutex_ordered][1], mutexes[ompt_mutex_ordered][2],
               6 * kRegions);
  expect_pairs("lock lives", inits[ompt_mutex_lock], destroys[ompt_mutex_lock], kRegions);
  expect_pairs("nest lock lives", inits[ompt_mutex_nest_lock], destroys[ompt_mutex_nest_lock],
               kRegions);
  expect_pairs("masked", masked[0], masked[1], kRegions);
  EXPECT(flushes == all, "%d flushes.", flushes);
  EXPECT(reductions == all || started == 1, "%d reductions.", reductions);
}

int main(void) {
  const int threads = team_size = omp_get_max_threads();
  long sum = 0;
  for (int region = 0; region < kRegions; ++region) run_region(&sum);
  EXPECT(sum == kRegions * (4950L + 1225 + 1 + threads + 1 + 6), "The sum is %ld.", sum);
  check_counts(threads);
  return ok();
}
