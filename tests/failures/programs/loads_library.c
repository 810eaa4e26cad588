// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads the library that it is told of: "by-program" itself, "deep" with RTLD_DEEPBIND, "by-library"
// by way of a library that was made without Weft.
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  void* library = NULL;
  if (strcmp(argv[1], "by-library") == 0) {
    void* loader = dlopen(argv[3], RTLD_NOW);
    void* (*load)(const char*) = loader == NULL ? NULL : dlsym(loader, "load");
    if (load != NULL) library = load(argv[2]);
  } else {
    library = dlopen(argv[2], RTLD_NOW | (strcmp(argv[1], "deep") == 0 ? RTLD_DEEPBIND : 0));
  }
  puts(library == NULL ? dlerror() : "loaded");
  return 0;
}
