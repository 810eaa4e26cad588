// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library of the program's that wraps functions of the C library. All that the program calls
// comes past it, on any node, and nothing that Weft calls does.
// libraries: wrappers.c
#include <fcntl.h>
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "../../openmp/check.h"
#include "../lib/wrappers.h"

enum { kRounds = 5 };

static void* run(void* argument) { return argument; }

int main(void) {
  EXPECT(controls == 0 && writes == 0, "%d and %d calls before main.", controls, writes);
  EXPECT(getenv("WEFT_WRAPPERS_FIRST") == NULL && getenv("LD_PRELOAD") == NULL,
         "The program's environment has what Weft added.");
  int threads = 0, failed = 0;
#pragma omp parallel reduction(+ : threads, failed)
  {
    int descriptor = open("/dev/null", O_WRONLY);
    for (int round = 0; round < kRounds; ++round)
      failed += write(descriptor, "text", 5) != 5;
    int waiting = 0;
    failed += ioctl(STDIN_FILENO, FIONREAD, &waiting) == -2;
    close(descriptor);
    ++threads;
  }
  EXPECT(failed == 0, "%d calls failed.", failed);
  EXPECT(writes == threads * kRounds, "%d calls of write came past the library, of %d threads.",
         writes, threads);
  EXPECT(controls == threads, "%d calls of ioctl came past the library, of %d threads.", controls,
         threads);

  const int before = starts;  // OpenMP's own threads come past it, too
  pthread_t thread;
  EXPECT(pthread_create(&thread, NULL, run, &thread) == 0, "No thread was made.");
  void* result = NULL;
  pthread_join(thread, &result);
  EXPECT(result == &thread && starts == before + 1, "%d threads more.", starts - before);
  return ok();
}
