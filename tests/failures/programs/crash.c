// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// crash KIND WHERE: dies in the given way, on the OpenMP thread WHERE in a parallel region, or
// outside of any if WHERE is "outside".
#include <assert.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int deep(int depth) {
  volatile char frame[4096];
  frame[0] = (char)depth;
  return depth < 0 ? 0 : deep(depth + 1) + frame[0];
}

static void write_to(uintptr_t address) {
  volatile int* volatile pointer = (volatile int*)address;  // so that the compiler cannot know it
  *pointer = 1;
}

static int read_from(uintptr_t address) {
  volatile int* volatile pointer = (volatile int*)address;
  return *pointer;
}

static void die(const char* kind) {
  if (strcmp(kind, "null") == 0) write_to(0);
  if (strcmp(kind, "null-read") == 0) exit(read_from(0));
  if (strcmp(kind, "wild") == 0) write_to(0x123456789000);
  if (strcmp(kind, "below-heap") == 0) write_to(0x1ffffffffff8);
  if (strcmp(kind, "code") == 0) write_to((uintptr_t)(void*)die);
  if (strcmp(kind, "stack") == 0) deep(0);
  if (strcmp(kind, "abort") == 0) abort();
  if (strcmp(kind, "assert") == 0) assert(!"this must hold");
  if (strcmp(kind, "exit") == 0) exit(7);
  printf("there is no way to die called %s\n", kind);
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  if (strcmp(argv[2], "outside") == 0) {
    die(argv[1]);
    return 0;
  }
  const int where = atoi(argv[2]);
#pragma omp parallel
  if (omp_get_thread_num() == where) die(argv[1]);
  return 0;
}
