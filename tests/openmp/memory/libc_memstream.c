// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What open_memstream collects is memory like any other: all threads read it, and any frees it.
//
// flags: -D_GNU_SOURCE

#include <omp.h>
#include <string.h>

#include "../check.h"

int main(void) {
  static char* text[1024];
  static size_t size[1024];
#pragma omp parallel
  {
    const int me = omp_get_thread_num(), other = (me + 1) % omp_get_num_threads();
    FILE* stream = open_memstream(&text[me], &size[me]);
    EXPECT(stream != NULL, "open_memstream failed.");
    for (int i = 0; i < 3000; ++i) fprintf(stream, "%d,", me + i);
    fflush(stream);
    EXPECT(size[me] == strlen(text[me]) && atoi(text[me]) == me, "The flushed text is '%.20s'.",
           text[me]);
    fprintf(stream, "end");
    EXPECT(fclose(stream) == 0, "fclose failed.");
#pragma omp barrier
    EXPECT(size[other] > 10000 && strlen(text[other]) == size[other], "The size is %zu.",
           size[other]);
    EXPECT(atoi(text[other]) == other && !strcmp(text[other] + size[other] - 3, "end"),
           "Thread %d reads '%.20s' of thread %d.", me, text[other], other);
#pragma omp barrier
    free(text[other]);
  }
  return ok();
}
