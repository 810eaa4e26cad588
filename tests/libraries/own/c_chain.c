// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library that needs another one: constructors run in their order, and memory that they have
// allocated is shared, and may be freed by another node.
// libraries: outer.c
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "../../openmp/check.h"

extern char* outer_text;
char* text_of_inner(void);
static char all[40];
__attribute__((constructor)) static void construct(void) {
  strcpy(all, outer_text);
  strcat(all, " program");
}

int main(void) {
#pragma omp parallel
  {
    EXPECT(strcmp(all, "inner outer program") == 0, "There is '%s'.", all);
    EXPECT(strcmp(text_of_inner(), "inner") == 0, "There is '%s'.", text_of_inner());
#pragma omp barrier
    if (omp_get_thread_num() == omp_get_num_threads() - 1) {
      free(outer_text);
      outer_text = strdup("other");
    }
  }
  EXPECT(strcmp(outer_text, "other") == 0, "There is '%s'.", outer_text);
  return ok();
}
