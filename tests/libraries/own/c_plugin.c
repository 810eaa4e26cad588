// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A C program that loads a C++ library, and with it C++'s own; a forked process gets a copy of its
// data. The library says "ok" at the end.
//
// plugins: plugin.cpp
#include <dlfcn.h>
#include <omp.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../openmp/check.h"

int main(int argc, char** argv) {
  char file[4096];
  EXPECT(argc == 2, "Where is the library?");
  // Relative to a directory that only this node is in.
  EXPECT(chdir(argv[1]) == 0, "There is no %s.", argv[1]);
  strcpy(file, "./libplugin.so");
  void* const library = dlopen(file, RTLD_NOW);
  EXPECT(library != NULL, "It cannot be loaded: %s", dlerror());
  int (*const run)(void) = (int (*)(void))dlsym(library, "run");
  int* const counter = dlsym(library, "counter");
  EXPECT(run() == omp_get_max_threads(), "It failed on some threads.");
  const pid_t child = fork();
  if (child == 0) {
    const int was = *counter;
    *counter = 1;
    _exit(was == 77 && run() == omp_get_max_threads() && *counter == 77 ? 0 : 1);
  }
  int status = -1;
  EXPECT(waitpid(child, &status, 0) == child && status == 0, "The child's status is %#x.", status);
  *counter = 78;
#pragma omp parallel
  EXPECT(*counter == 78, "A thread sees %d.", *counter);
  return 0;
}
