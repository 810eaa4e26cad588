// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdio.h>
extern int data_of_library;
int main(void) {
  printf("%d\n", data_of_library);
  return data_of_library != 7;
}
