// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A library that clang made is loaded while the program runs, and allocates for the program.
// plugins: makes.c plain
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

struct box {
  char* text;
  int* numbers;
  int count;
};

int main(int argc, char** argv) {
  char path[4096];
  snprintf(path, sizeof path, "%s/libmakes.so", argv[1]);
  void* library = dlopen(path, RTLD_LAZY);
  if (library == NULL) return puts(dlerror()), 1;
  struct box* (*make_box)(const char*) = (struct box * (*)(const char*)) dlsym(library, "make_box");
  void (*add_to_box)(struct box*, int) = (void (*)(struct box*, int))dlsym(library, "add_to_box");
  struct box* boxes[2];
  int failures = 0;
  boxes[0] = make_box("of main");
  for (int i = 0; i < 10; ++i) add_to_box(boxes[0], i);
#pragma omp parallel reduction(+ : failures)
  {
    const int last = omp_get_num_threads() - 1;
    if (omp_get_thread_num() == last) {
      boxes[1] = make_box("of the last");
      for (int i = 10; i < 300; ++i) add_to_box(boxes[0], i);
    }
#pragma omp barrier
    if (strcmp(boxes[0]->text, "of main") != 0 || strcmp(boxes[1]->text, "of the last") != 0)
      ++failures;
    for (int i = 0; i < 300; ++i) failures += boxes[0]->numbers[i] != i;
  }
  printf("%d failures\n", failures);
  if (failures == 0) puts("ok");
  return 0;
}
