// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// environment: OMP_NUM_THREADS=2
//
// A tool (OMPT) has started when the program's first call of OpenMP comes back, whatever call that
// is and whatever the environment says; and a section is told of with its place in the program,
// also in a team that stays on its node.

#include <omp.h>

#include "../check.h"
#include "ompt_tool.h"

extern char __executable_start, etext;

static int is_started, is_watching, regions, sections, strangers;
static omp_lock_t lock;

static int is_in_program(const void* address) {
  return (const char*)address >= &__executable_start && (const char*)address < &etext;
}

static void on_parallel_begin(ompt_data_t* task, const ompt_frame_t* frame, ompt_data_t* parallel,
                              unsigned int requested, int flags, const void* address) {
  (void)task, (void)parallel, (void)requested, (void)flags;
  COUNT(regions);
  if (!is_in_program(address) || frame->enter_frame.ptr == NULL) COUNT(strangers);
}
static void on_dispatch(ompt_data_t* parallel, ompt_data_t* task, ompt_dispatch_t kind,
                        ompt_data_t instance) {
  (void)parallel, (void)task;
  if (kind != ompt_dispatch_section) return;
  COUNT(sections);
  if (!is_in_program(instance.ptr)) COUNT(strangers);
}

static void start_watching(ompt_function_lookup_t lookup) {
  (void)lookup;
  is_started = 1;
  is_watching = WATCH(ompt_callback_dispatch, on_dispatch) == ompt_set_always;
  WATCH(ompt_callback_parallel_begin, on_parallel_begin);
}
static void end_watching(void) {}

int main(void) {
  omp_init_lock(&lock);
  EXPECT(READ(is_started) == 1, "The tool has not started when a lock has been made.");
  omp_destroy_lock(&lock);
#pragma omp parallel sections
  {
#pragma omp section
    COUNT(sections);
#pragma omp section
    COUNT(sections);
  }
  EXPECT(READ(regions) == 1, "%d regions.", READ(regions));
  EXPECT(!is_watching || READ(sections) == 4, "%d sections, told and executed.", READ(sections));
  EXPECT(READ(strangers) == 0, "%d events are not from the program.", READ(strangers));
  return ok();
}
