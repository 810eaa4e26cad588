// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Another plug-in, in C, with large data; loads a third library itself, along its own run path.
// flags: -Wl,-rpath,$ORIGIN
#include <dlfcn.h>
#include <omp.h>
#include <stddef.h>

enum { kCells = 1 << 20 };
static double cells[kCells];
static int opened = 0;

__attribute__((constructor)) static void construct(void) {
  opened = dlopen("libplain.so", RTLD_NOW | RTLD_LOCAL) != NULL;
}

double fill(double value) {
  double sum = 0;
#pragma omp parallel for
  for (int i = 0; i < kCells; ++i) cells[i] = value;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < kCells; ++i) sum += cells[kCells - 1 - i];
  return opened ? sum : -1;
}
