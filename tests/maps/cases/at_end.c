// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes to a shared map of the file that it is given, on all nodes, and ends without unmapping it,
// in the way that it is told.

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { kBytes = 100000 };

int main(int argc, char** argv) {
  const int fd = open(argv[argc - 1], O_RDWR);
  char* p = mmap(NULL, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (p == MAP_FAILED) return 2;
  close(fd);
#pragma omp parallel for
  for (int i = 0; i < kBytes; ++i) p[i] = (char)(p[i] + i % 7);
  const char* const way = argv[1];
  if (strcmp(way, "_exit") == 0) _exit(0);
  if (strcmp(way, "_Exit") == 0) _Exit(0);
  if (strcmp(way, "quick_exit") == 0) quick_exit(0);
  if (strcmp(way, "abort") == 0) abort();
  return 0;
}
