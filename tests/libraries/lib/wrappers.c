// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// flags: -D_GNU_SOURCE
//
// A library that wraps functions of the C library, as one of fibers does: it counts, and calls the
// next one. `write` passes on a buffer of the library's, in memory of the program.
#include "wrappers.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

int controls, writes, starts;
static char copies[64][4096];

int ioctl(int descriptor, unsigned long request, ...) {
  static int (*next)(int, unsigned long, ...);
  va_list arguments;
  va_start(arguments, request);
  void* const argument = va_arg(arguments, void*);
  va_end(arguments);
  if (next == NULL) next = (int (*)(int, unsigned long, ...))dlsym(RTLD_NEXT, "ioctl");
#pragma omp atomic
  ++controls;
  return next(descriptor, request, argument);
}

ssize_t write(int descriptor, const void* bytes, size_t count) {
  static ssize_t (*next)(int, const void*, size_t);
  if (next == NULL) next = (ssize_t (*)(int, const void*, size_t))dlsym(RTLD_NEXT, "write");
  int number;
#pragma omp atomic capture
  number = writes++;
  if (count > sizeof copies[0]) return next(descriptor, bytes, count);
  char* const copy = copies[number % 64];
  memcpy(copy, bytes, count);
  return next(descriptor, copy, count);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*function)(void*),
                   void* argument) {
  static int (*next)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  if (next == NULL)
    next = (int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*))dlsym(
        RTLD_NEXT, "pthread_create");
#pragma omp atomic
  ++starts;
  return next(thread, attributes, function, argument);
}
