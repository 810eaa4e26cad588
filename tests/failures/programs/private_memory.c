// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One node touches private memory of another: "private_memory KIND MAKER TOUCHER", the latter two
// numbers of threads.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <iconv.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char* make(const char* kind) {
  if (strcmp(kind, "errno") == 0) return (char*)&errno;
  if (strcmp(kind, "words") == 0) return dlsym(RTLD_DEFAULT, "nowhere") ? NULL : dlerror();
  if (strcmp(kind, "directory") == 0) return (char*)opendir("/");
  if (strcmp(kind, "conversion") == 0) return (char*)iconv_open("UTF-8", "LATIN1");
  return NULL;
}

int main(int argc, char** argv) {
  const char* kind = argv[1];
  const int maker = atoi(argv[2]), toucher = atoi(argv[3]);
  char* made = NULL;
#pragma omp parallel
  {
    if (omp_get_thread_num() == maker) made = make(kind);
#pragma omp barrier
    if (omp_get_thread_num() == toucher) {
      if (argc > 4) made[0] = 7;  // line 29
      printf("%d\n", made[0]);    // line 30
    }
  }
  return 0;
}
