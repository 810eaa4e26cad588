// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads of regions that keep values of their own (pthread_setspecific) find them in later
// regions, wherever regions run by then; and a thread has none before it keeps one.
//
// environment: WEFT_SPREAD=random

#include <omp.h>
#include <pthread.h>

#include "../check.h"

enum { kRegions = 60, kBefore = 20, kMost = 64 };

static pthread_key_t key;
static int values[kMost];

int main(void) {
  EXPECT(pthread_key_create(&key, NULL) == 0, "No key.");
  int mine = -1;
  EXPECT(pthread_setspecific(key, &mine) == 0, "main keeps nothing.");
  for (int region = 0; region < kRegions; ++region) {
#pragma omp parallel
    {
      const int me = omp_get_thread_num();
      const int* value = pthread_getspecific(key);
      if (me == 0) {
        EXPECT(value == &mine, "main has another value in region %d.", region);
      } else if (region > kBefore) {
        EXPECT(value == &values[me], "Thread %d has another value in region %d.", me, region);
      } else {
        EXPECT(value == NULL, "Thread %d has a value before it keeps one.", me);
      }
      if (me > 0 && region == kBefore) {
        values[me] = me;
        EXPECT(pthread_setspecific(key, &values[me]) == 0, "Thread %d keeps nothing.", me);
      }
    }
  }
  return ok();
}
