// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library that the program knows only by way of another one.
#include <stdlib.h>
#include <string.h>

char* inner_text;
__attribute__((constructor)) static void construct(void) { inner_text = strdup("inner"); }
