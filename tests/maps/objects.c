// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects of shared memory within the program: POSIX's, memfd's, System V's. Two maps of one are
// one memory. The break as well.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <omp.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

enum { kBytes = 3 * 4096 };

static void use(int* p, int* q) {
#pragma omp parallel for
  for (int i = 0; i < kBytes / 4; ++i) p[i] = i + 3;
  for (int i = 0; i < kBytes / 4; ++i) EXPECT(q[i] == i + 3, "q[%d] is %d.", i, q[i]);
#pragma omp parallel for
  for (int i = 0; i < kBytes / 4; ++i) q[i] *= 2;
  for (int i = 0; i < kBytes / 4; ++i) EXPECT(p[i] == 2 * i + 6, "p[%d] is %d.", i, p[i]);
}

static int* map_all(int fd) {
  int* p = mmap(NULL, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  EXPECT(p != MAP_FAILED, "mmap of an object failed.");
  return p;
}

static void of_descriptor(int fd) {
  EXPECT(fd >= 0 && ftruncate(fd, kBytes) == 0, "No object.");
  int *p = map_all(fd), *q = map_all(fd);
  use(p, q);
  EXPECT(munmap(p, kBytes) == 0, "munmap failed.");
  EXPECT(q[5] == 16, "q[5] is %d after the other was unmapped.", q[5]);
  EXPECT(munmap(q, kBytes) == 0, "munmap failed.");
  p = map_all(fd);
  EXPECT(p[5] == 16, "The object has lost what was written: %d.", p[5]);
  EXPECT(munmap(p, kBytes) == 0, "munmap failed.");
  close(fd);
}

static void posix(void) {
  char name[64];
  snprintf(name, sizeof name, "/weft-test-%d", (int)getpid());
  of_descriptor(shm_open(name, O_CREAT | O_EXCL | O_RDWR, 0600));
  static int* first;
#pragma omp parallel
  for (int t = 0; t < omp_get_num_threads(); ++t) {
#pragma omp barrier
    if (t != omp_get_thread_num()) continue;
    const int fd = shm_open(name, O_RDWR, 0);
    int* p = map_all(fd);
    close(fd);
    if (t == 0) first = p;
    EXPECT(t == 0 || p[1] == t - 1, "p[1] is %d.", p[1]);
    p[1] = t;
  }
  EXPECT(first[1] == omp_get_max_threads() - 1, "first[1] is %d.", first[1]);
  shm_unlink(name);
}

static void system_v(void) {
  const int id = shmget(IPC_PRIVATE, kBytes, IPC_CREAT | 0600);
  EXPECT(id >= 0, "shmget failed.");
  int* p = shmat(id, NULL, 0);
  int* q = shmat(id, NULL, 0);
  EXPECT(p != (void*)-1 && q != (void*)-1, "shmat failed.");
  EXPECT(shmctl(id, IPC_RMID, NULL) == 0, "shmctl failed.");
  use(p, q);
  EXPECT(shmdt(p) == 0, "shmdt failed.");
  EXPECT(q[5] == 16, "q[5] is %d.", q[5]);
  EXPECT(shmdt(q) == 0, "shmdt failed.");
  EXPECT(shmat(id, NULL, 0) == (void*)-1, "The segment lives on.");
}

static void shared_anonymous(void) {
  int* p = mmap(NULL, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  EXPECT(p != MAP_FAILED, "mmap failed.");
  use(p, p);
  EXPECT(madvise(p, kBytes, MADV_DONTNEED) == 0, "madvise failed.");
#pragma omp parallel
  EXPECT(p[5] == 16, "MADV_DONTNEED has destroyed shared memory: %d.", p[5]);
  EXPECT(munmap(p, kBytes) == 0, "munmap failed.");
}

static void program_break(void) {
  int* p = sbrk(kBytes);
  EXPECT(p != (void*)-1, "sbrk failed.");
  use(p, p);
  EXPECT((char*)sbrk(0) == (char*)p + kBytes, "The break is elsewhere.");
  EXPECT(sbrk(-4096) != (void*)-1 && sbrk(4096) != (void*)-1, "sbrk failed.");
#pragma omp parallel
  EXPECT(p[0] == 6 && p[kBytes / 4 - 1] == 0, "%d, %d.", p[0], p[kBytes / 4 - 1]);
  EXPECT(brk(p) == 0 && sbrk(0) == (void*)p, "brk failed.");
}

int main(void) {
  of_descriptor(memfd_create("object", 0));
  posix();
  system_v();
  shared_anonymous();
  program_break();
  return ok();
}
