// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A C program gets its C++ runtime with a library that it loads. Exceptions are thrown there on all
// nodes, where they are on the shared heap, and in a forked process, where they are in its own
// memory.
//
// plugins: thrower.cpp
#include <dlfcn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../openmp/check.h"

enum { kCount = 100 };

int main(int argc, char** argv) {
  char file[4096];
  EXPECT(argc == 2, "Where is the library?");
  snprintf(file, sizeof file, "%s/libthrower.so", argv[1]);
  void* const library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  EXPECT(library != NULL, "It cannot be loaded: %s", dlerror());
  int (*const caught)(int) = (int (*)(int))dlsym(library, "caught");
#pragma omp parallel
  EXPECT(caught(kCount) == kCount, "A thread has missed exceptions.");
  const pid_t child = fork();
  if (child == 0) _exit(caught(kCount) == kCount ? 0 : 1);
  int status = -1;
  EXPECT(waitpid(child, &status, 0) == child && status == 0, "The child's status is %#x.", status);
  printf("ok\n");
  return 0;
}
