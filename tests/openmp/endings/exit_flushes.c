// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// exit called by main's thread inside a region flushes what the last thread has written, too; and
// it does not wait for a thread that reads from a pipe, which has the stream's lock.
//
// status: 9

#include <omp.h>
#include <pthread.h>
#include <unistd.h>

#include "../check.h"

static void* reads_for_ever(void* stream) {
  fail(__FILE__, __LINE__, "The pipe gave %d.", getc(stream));
}

int main(void) {
#pragma omp parallel
  {
    if (omp_get_thread_num() == omp_get_num_threads() - 1) {
      FILE* const never_closed = fdopen(dup(STDOUT_FILENO), "w");
      fprintf(never_closed, "ok\n");
      int ends[2];
      pthread_t reader;
      EXPECT(pipe(ends) == 0, "pipe");
      FILE* const stream = fdopen(ends[0], "r");
      EXPECT(pthread_create(&reader, NULL, reads_for_ever, stream) == 0, "pthread_create");
      while (ftrylockfile(stream) == 0) funlockfile(stream);
    }
#pragma omp barrier
    if (omp_get_thread_num() == 0) exit(9);
    for (;;) usleep(1000);  // until the program has ended
  }
}
