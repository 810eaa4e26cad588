// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libraries: inner.c
#include <stdlib.h>
#include <string.h>

extern char* inner_text;
char* outer_text;
// The inner library's constructor has run before, and the program's runs later.
__attribute__((constructor)) static void construct(void) {
  outer_text = malloc(strlen(inner_text) + 10);
  strcpy(outer_text, inner_text);
  strcat(outer_text, " outer");
}
char* text_of_inner(void) { return inner_text; }
