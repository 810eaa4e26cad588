// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A library that clang made loads another, asked by a thread of the last node: all nodes use what it
// has loaded, by the handle and the functions that it keeps.
// libraries: opener.c plain
// plugins: registry.cpp plain
#include <omp.h>
#include <stdio.h>
#include <string.h>

int opener_open(const char* path);
int opener_find(const char* name);
void opener_add(const char* name, int number);
const char* opener_failure(void);

int main(int argc, char** argv) {
  char path[4096];
  snprintf(path, sizeof path, "%s/libregistry.so", argv[1]);
  int failures = opener_find("two") != -2;
#pragma omp parallel reduction(+ : failures)
  {
    const int me = omp_get_thread_num(), count = omp_get_num_threads();
    if (me == count - 1) failures += !opener_open(path);
#pragma omp barrier
    failures += opener_find("two") != 2;
    char name[50];
    snprintf(name, sizeof name, "thread %d, with a long name", me);
    opener_add(name, me);
#pragma omp barrier
    for (int other = 0; other < count; ++other) {
      snprintf(name, sizeof name, "thread %d, with a long name", other);
      failures += opener_find(name) != other;
    }
#pragma omp critical
    {
      const char* why = opener_failure();
      failures += why == NULL || strstr(why, "/nowhere/libnone.so") == NULL;
    }
  }
  printf("%d failures\n", failures);
  if (failures == 0) puts("ok");
  return 0;
}
