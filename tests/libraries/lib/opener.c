// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A library that loads another one by itself, and keeps its handle and a function.
#include <dlfcn.h>
#include <stddef.h>

static void* library = NULL;
static int (*find)(const char*) = NULL;

int opener_open(const char* path) {
  library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library != NULL) find = (int (*)(const char*))dlsym(library, "registry_find");
  return find != NULL;
}

int opener_find(const char* name) { return find == NULL ? -2 : find(name); }

void opener_add(const char* name, int number) {
  void (*add)(const char*, int) = (void (*)(const char*, int))dlsym(library, "registry_add");
  add(name, number);
}

// Why there is no such library; null if the last call went well.
const char* opener_failure(void) {
  dlopen("/nowhere/libnone.so", RTLD_NOW);
  return dlerror();
}
