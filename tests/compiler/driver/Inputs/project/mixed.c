// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdio.h>
int other(void);
double half_of(double);
int main(void) {
  printf("other %d and %g\n", other(), half_of(1));
  return 0;
}
