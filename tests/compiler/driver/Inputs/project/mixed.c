// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <dlfcn.h>
#include <stdio.h>
int other(void);
double half_of(double);
int count_threads(void);
int main(void) {
  void* plug = dlopen(PLUG, RTLD_NOW);
  int* plugged = plug == NULL ? NULL : dlsym(plug, "plugged");
  int sum = 0;
  if (plugged == NULL) return 1;
  *plugged = 10;
#pragma omp parallel for reduction(+ : sum) schedule(static, 1)
  for (int i = 0; i < 64; ++i) sum += *plugged;
  printf("other %d and %g, counts %d, plug %d\n", other(), half_of(1), count_threads(), sum);
  return 0;
}
