/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Closes whatever it has not opened, on all nodes, before and after they have talked to each other. */
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

enum { kCount = 1 << 14, kDescriptors = 1024 };
static int numbers[kCount];

int main(void) {
  long sum = 0;
  for (int round = 0; round < 3; round++) {
    for (int each = 3; each < kDescriptors; each++) close(each);
#pragma omp parallel
    {
      for (int each = 3; each < kDescriptors; each++) close(each);
#pragma omp barrier
#pragma omp for
      for (int i = 0; i < kCount; i++) numbers[i] = round;
#pragma omp for reduction(+ : sum)
      for (int i = 0; i < kCount; i++) sum += numbers[kCount - 1 - i];
    }
  }
  printf("sum %ld\n", sum);
  return sum == 3L * kCount ? 0 : 1;
}
