// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic operations on objects that are not aligned, which the processor does, within a cache line,
// and the compiler does not know of.

#include <omp.h>

#include "../check.h"

enum { kTimes = 200 };

static struct {
  char bytes[64];
} line __attribute__((aligned(64)));

// The compiler takes what it points to for aligned.
__attribute__((noinline)) static void* at(int offset) { return line.bytes + offset; }

int main(void) {
  unsigned captured = 0;
#pragma omp parallel reduction(max : captured)
  {
    unsigned* const count = at(1);
    long* const total = at(11);
    double* const sum = at(21);
    int* const most = at(35);
    for (int i = 0; i < kTimes; ++i) {
      unsigned before;
#pragma omp atomic capture
      before = (*count)++;
      if (before > captured) captured = before;
#pragma omp atomic
      *total -= 3;
#pragma omp atomic
      *sum += 0.5;
#pragma omp atomic compare
      if (*most < i) {
        *most = i;
      }
    }
  }
  const unsigned all = (unsigned)(kTimes * omp_get_max_threads());
  unsigned count;
  long total;
  double sum;
  int most;
  __builtin_memcpy(&count, at(1), sizeof count);
  __builtin_memcpy(&total, at(11), sizeof total);
  __builtin_memcpy(&sum, at(21), sizeof sum);
  __builtin_memcpy(&most, at(35), sizeof most);
  EXPECT(count == all && captured == all - 1, "The count is %u, and %u was seen.", count, captured);
  EXPECT(total == -3 * (long)all, "The total is %ld.", total);
  EXPECT(sum == 0.5 * all, "The sum is %g.", sum);
  EXPECT(most == kTimes - 1, "The most is %d.", most);
  return ok();
}
