// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ordered regions run in the order of the loop, under each schedule.

#include <omp.h>

#include "../check.h"

enum { kCount = 200 };
static int log_of[kCount], logged;

static void note(int i) {
  log_of[logged] = i;
  logged += 1;
}

static void check(int count, const char* what) {
  EXPECT(logged == count, "%s: %d ordered regions ran, not %d.", what, logged, count);
  for (int i = 0; i < count; ++i)
    EXPECT(log_of[i] == i, "%s: iteration %d came at place %d.", what, log_of[i], i);
  logged = 0;
}

int main(void) {
#pragma omp parallel for ordered schedule(static)
  for (int i = 0; i < kCount; ++i) {
#pragma omp ordered
    note(i);
  }
  check(kCount, "static");
#pragma omp parallel for ordered schedule(static, 3)
  for (int i = 0; i < kCount; ++i) {
#pragma omp ordered
    note(i);
  }
  check(kCount, "static, 3");
#pragma omp parallel for ordered schedule(dynamic)
  for (int i = 0; i < kCount; ++i) {
    volatile int work = i * i;
#pragma omp ordered
    note(i + (work < 0));
  }
  check(kCount, "dynamic");
#pragma omp parallel for ordered schedule(guided, 2)
  for (int i = 0; i < kCount; ++i) {
#pragma omp ordered
    note(i);
  }
  check(kCount, "guided");
  int reached = 0;
#pragma omp parallel for ordered schedule(dynamic, 4)
  for (int i = 0; i < kCount; ++i) {
    if (i % 2 == 0) continue;  // an iteration need not have its ordered region
#pragma omp ordered
    reached = reached * 3 % 1000003 + i;
  }
  int expected = 0;
  for (int i = 1; i < kCount; i += 2) expected = expected * 3 % 1000003 + i;
  EXPECT(reached == expected, "The chain gave %d, not %d.", reached, expected);
  return ok();
}
