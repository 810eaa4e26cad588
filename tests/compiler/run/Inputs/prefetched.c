// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether loops used what they said before they began. A thread begins, runs a loop, says where
// that went, and ends: each of those addresses must have been prefetched, and few others of the
// array. The node library for tests knows what was.
#include "prefetched.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Of the node library for tests.
void weft_test_note_prefetches(void) __attribute__((weak));
int weft_test_is_prefetched(const void* p) __attribute__((weak));

double memory[kElements];
static char is_used[kMostThreads][kElements];

double* whole_memory(void) { return memory; }

void begins_(void) {
  if (weft_test_note_prefetches == NULL) abort();
  memset(is_used[omp_get_thread_num()], 0, kElements);
  weft_test_note_prefetches();
}

void uses_(const double* p) { is_used[omp_get_thread_num()][p - memory] = 1; }

double said_(const double* p) {
  uses_(p);
  return 0;
}

void ends_(const char* name, const int* more) {
  const char* used = is_used[omp_get_thread_num()];
  int missing = 0, in_vain = 0;
  for (int i = 0; i < kElements; i++) {
    const int is_prefetched = weft_test_is_prefetched(&memory[i]);
    missing += used[i] && !is_prefetched;
    in_vain += !used[i] && is_prefetched;
  }
  if (missing != 0 || in_vain > *more)
    fprintf(stderr, "%s: used %d not prefetched, prefetched %d not used\n", name, missing, in_vain);
}

void done_(void) { fprintf(stderr, "done\n"); }
