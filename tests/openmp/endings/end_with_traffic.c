// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program ends at once after other nodes have read much: what they have asked for ahead is
// still on its way to them, and nobody needs it any more.

#include <omp.h>

#include "../check.h"

enum { kSide = 1024 };

int main(void) {
  static int table[kSide][kSide];
  int total[kSide];
  for (int i = 0; i < kSide; ++i) {
    total[i] = 0;
    for (int j = 0; j < kSide; ++j) table[i][j] = j + 1;
  }
#pragma omp target teams distribute parallel for reduction(+ : total[ : kSide]) map(tofrom : total)
  for (int i = 0; i < kSide; ++i) {
    for (int j = 0; j < kSide; ++j) total[i] += table[i][j];
  }
  for (int i = 0; i < kSide; ++i) {
    EXPECT(total[i] == kSide * (kSide + 1) / 2, "Row %d is %d.", i, total[i]);
  }
  return ok();
}
