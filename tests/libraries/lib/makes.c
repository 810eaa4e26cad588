// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdlib.h>
#include <string.h>

struct box {
  char* text;
  int* numbers;
  int count;
};

struct box* make_box(const char* text) {
  struct box* made = calloc(1, sizeof *made);
  made->text = strdup(text);
  return made;
}

// By way of variables, as libraries have them whose allocator can be replaced.
static void* (*volatile grow)(void*, size_t) = realloc;

void add_to_box(struct box* box, int number) {
  box->numbers = grow(box->numbers, (size_t)(box->count + 1) * sizeof(int));
  box->numbers[box->count++] = number;
}
