// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes to a shared map of the file that it is given, on all nodes, and ends without unmapping it,
// in the way that it is told; "...-elsewhere": on the last thread.

#include <assert.h>
#include <fcntl.h>
#include <omp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { kBytes = 100000 };

static char* p;
static char* volatile nothing = NULL;

static void write_part(int from, int to) {
  for (int i = from; i < to; ++i) p[i] = (char)(p[i] + i % 7);
}

static void end_by(const char* way) {
  if (strcmp(way, "_exit") == 0) _exit(0);
  if (strcmp(way, "_Exit") == 0) _Exit(0);
  if (strcmp(way, "quick_exit") == 0) quick_exit(0);
  if (strcmp(way, "abort") == 0) abort();
  if (strcmp(way, "assert") == 0) assert(way == NULL);
  if (strcmp(way, "crash") == 0) *nothing = 1;
  if (strcmp(way, "term") == 0) kill(getpid(), SIGTERM);
  if (strcmp(way, "interrupt") == 0) raise(SIGINT);
  if (strcmp(way, "alarm") == 0) alarm(1);
  if (strcmp(way, "return") != 0) pause();
}

static bool is_elsewhere(char* way) {
  char* const where = strstr(way, "-elsewhere");
  if (where != NULL) *where = '\0';
  return where != NULL;
}

// The last thread has written without synchronising with anybody, when the other is ended.
static void end_in_region(const char* marker) {
#pragma omp parallel
  {
    const int me = omp_get_thread_num(), all = omp_get_num_threads();
    write_part(kBytes / all * me, me == all - 1 ? kBytes : kBytes / all * (me + 1));
    if (me > 0) {
      mkdir(marker, 0700);
      for (;;) pause();
    }
    while (access(marker, F_OK) != 0) usleep(1000);
    kill(getpid(), SIGTERM);
  }
}

int main(int argc, char** argv) {
  const bool later = strcmp(argv[1], "access-later") == 0;
  const int fd = open(argv[argc - 1], O_RDWR);
  p = mmap(NULL, kBytes, later ? PROT_READ : PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (p == MAP_FAILED || (later && mprotect(p, kBytes, PROT_READ | PROT_WRITE) != 0)) return 2;
  close(fd);
  if (later) argv[1] = "return";
  if (strcmp(argv[1], "region") == 0) end_in_region(argv[2]);
#pragma omp parallel for
  for (int i = 0; i < kBytes; ++i) write_part(i, i + 1);
  if (!is_elsewhere(argv[1])) {
    end_by(argv[1]);
    return 0;
  }
#pragma omp parallel
  if (omp_get_thread_num() == omp_get_num_threads() - 1) end_by(argv[1]);
  return 0;
}
