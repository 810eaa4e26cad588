// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes to a shared map of the file that it is given, on all nodes, and ends without unmapping it.

#include <fcntl.h>
#include <stdlib.h>
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
  return 0;
}
