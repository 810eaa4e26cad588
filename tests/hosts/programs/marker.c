/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One thread writes a text into shared memory, and all the others read it. */
#include <omp.h>
#include <stdio.h>
#include <string.h>

enum { kCount = 4096 };
static char texts[kCount][64];

int main(void) {
  int wrong = 0;
#pragma omp parallel reduction(+ : wrong)
  {
#pragma omp single
    for (int i = 0; i < kCount; i++) snprintf(texts[i], sizeof texts[i], "the marker of this test %s", "is here");
    for (int i = 0; i < kCount; i++) wrong += strcmp(texts[i], "the marker of this test is here") != 0;
  }
  printf("wrong %d\n", wrong);
  return wrong;
}
