// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether loops used what they said before they began. A thread begins, runs a loop, says where
// that went, and ends: each of those addresses must have been prefetched, and few others of the
// array; and it must have said of none that it stores there, if it does not. The node library for
// tests knows what was said.
#include "prefetched.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Of the node library for tests.
void weft_test_note_prefetches(void) __attribute__((weak));
int weft_test_is_prefetched(const void* p) __attribute__((weak));
int weft_test_is_stored(const void* p) __attribute__((weak));

double memory[kElements];
enum { kUsed = 1, kStored = 2 };
static char is_used[kMostThreads][kElements];
static long said_stored;  // with a right

double* whole_memory(void) { return memory; }

void begins_(void) {
  if (weft_test_note_prefetches == NULL) abort();
  memset(is_used[omp_get_thread_num()], 0, kElements);
  weft_test_note_prefetches();
}

void uses_(const double* p) { is_used[omp_get_thread_num()][p - memory] |= kUsed; }

void stores_(const double* p) { is_used[omp_get_thread_num()][p - memory] |= kUsed | kStored; }

double said_(const double* p) {
  uses_(p);
  return 0;
}

void ends_(const char* name, const int* more) {
  const char* used = is_used[omp_get_thread_num()];
  int missing = 0, in_vain = 0, stored = 0, not_stored = 0;
  for (int i = 0; i < kElements; i++) {
    const int is_prefetched = weft_test_is_prefetched(&memory[i]);
    missing += used[i] && !is_prefetched;
    in_vain += !used[i] && is_prefetched;
    const int is_said = weft_test_is_stored(&memory[i]);
    stored += is_said && (used[i] & kStored);
    not_stored += is_said && !(used[i] & kStored);
  }
#pragma omp atomic
  said_stored += stored;
  if (not_stored != 0) fprintf(stderr, "%s: %d not stored to\n", name, not_stored);
  if (missing != 0 || in_vain > *more)
    fprintf(stderr, "%s: used %d not prefetched, prefetched %d not used\n", name, missing, in_vain);
}

void done_(void) { fprintf(stderr, "done, stored %ld\n", said_stored); }
