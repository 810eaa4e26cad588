// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdlib.h>
int data_of_library = 7;
void *allocate_in_library(void) { return malloc(10); }
