// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdio.h>

extern int count;
void add(int times);

int main(void) {
  add(1000);
  printf("%d\n", count);
  return 0;
}
