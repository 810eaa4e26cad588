// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// linear: a private copy that starts where its iteration needs it, and ends as after the last one.
//
// Dynamic schedules are monotonic here: libomp 22 often reports the wrong iteration as the last one
// under a nonmonotonic dynamic schedule, which is the default, even on one machine.

#include <omp.h>

#include "../check.h"

enum { kCount = 240 };
static int target[3 * kCount];

int main(void) {
  int j = 0;
#pragma omp parallel for linear(j : 3) schedule(static)
  for (int i = 0; i < kCount; ++i) {
    target[j] = i;
    j += 3;
  }
  EXPECT(j == 3 * kCount, "static: the variable ends at %d.", j);
  for (int i = 0; i < kCount; ++i)
    EXPECT(target[3 * i] == i, "static: %d at %d.", target[3 * i], i);

  long k = 10;
#pragma omp parallel for linear(k : 2) schedule(monotonic : dynamic, 7)
  for (int i = 0; i < kCount; ++i) {
    target[k - 10 + 1] += i + 1000;
    k += 2;
  }
  EXPECT(k == 10 + 2 * kCount, "dynamic: the variable ends at %ld.", k);

  int* p = target;
#pragma omp parallel for linear(p : 1) schedule(guided)
  for (int i = 0; i < 3 * kCount; ++i) {
    *p = -i;
    p += 1;
  }
  EXPECT(p == target + 3 * kCount, "The pointer ends at %ld.", (long)(p - target));
  for (int i = 0; i < 3 * kCount; ++i) EXPECT(target[i] == -i, "guided: %d at %d.", target[i], i);
  return ok();
}
