// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tool (OMPT) in the program itself. Programs that include it define what it does when it starts
// and when it ends.

#ifndef TESTS_OPENMP_OMPT_TOOL_H
#define TESTS_OPENMP_OMPT_TOOL_H

#include <omp-tools.h>

// Watches events, by what it finds with `lookup`.
static void start_watching(ompt_function_lookup_t lookup);
static void end_watching(void);

static ompt_set_callback_t set_callback;
#define WATCH(event, function) set_callback(event, (ompt_callback_t)function)

#define COUNT(counter) __atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED)
#define READ(counter) __atomic_load_n(&counter, __ATOMIC_RELAXED)

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t* data) {
  (void)device, (void)data;
  set_callback = (ompt_set_callback_t)lookup("ompt_set_callback");
  start_watching(lookup);
  return 1;
}
static void finalize(ompt_data_t* data) {
  (void)data;
  end_watching();
}
ompt_start_tool_result_t* ompt_start_tool(unsigned int version, const char* runtime) {
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  (void)version, (void)runtime;
  return &result;
}

#endif
