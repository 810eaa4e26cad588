// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls that end a job of several nodes with a sentence, one for each argument (tests/maps/run).

#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kAccess = PROT_READ | PROT_WRITE, kAnonymous = MAP_PRIVATE | MAP_ANONYMOUS };

static void on_fault(int number) { _exit(number); }

static char* some(int flags, int file) { return mmap(NULL, 4 * 4096, kAccess, flags, file, 0); }

static int object(void) {
  const int fd = memfd_create("object", 0);
  return ftruncate(fd, 4 * 4096) == 0 ? fd : -1;
}

// Not refused: the child may share it with other processes than the job's.
static void share_in_child(const char* which) {
  char name[64];
  const int segment = shmget(IPC_PRIVATE, 4096, 0600 | IPC_CREAT);
  snprintf(name, sizeof name, "/weft-refused-%d", (int)getpid());
  const int file = shm_open(name, O_CREAT | O_RDWR, 0600);
  shm_unlink(name);
  if (fork() == 0) {
    if (!strcmp(which, "child-shmat")) {
      shmat(segment, NULL, 0);
    } else {
      (void)!ftruncate(file, 4096);
      mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
      mmap(NULL, 4096, PROT_READ, MAP_SHARED, file, 0);
    }
    _exit(0);
  }
  wait(NULL);
  shmctl(segment, IPC_RMID, NULL);
}

int main(int argc, char** argv) {
  const char* which = argc > 1 ? argv[1] : "";
  if (!strcmp(which, "exec")) {
    mmap(NULL, 4096, kAccess | PROT_EXEC, kAnonymous, -1, 0);
  } else if (!strcmp(which, "protect-exec")) {
    mprotect(some(kAnonymous, -1), 4096, PROT_READ | PROT_EXEC);
  } else if (!strcmp(which, "protect-handler")) {
    signal(SIGSEGV, on_fault);
    mprotect(some(kAnonymous, -1), 4096, PROT_READ);
  } else if (!strcmp(which, "read-only-handler")) {
    signal(SIGSEGV, on_fault);
    mmap(NULL, 4096, PROT_READ, kAnonymous, -1, 0);
  } else if (!strcmp(which, "access-later")) {
    signal(SIGSEGV, on_fault);
    mprotect(mmap(NULL, 4096, PROT_NONE, kAnonymous, -1, 0), 4096, kAccess);
  } else if (!strcmp(which, "grows-down")) {
    some(kAnonymous | MAP_GROWSDOWN, -1);
  } else if (!strcmp(which, "low")) {
    some(kAnonymous | MAP_32BIT, -1);
  } else if (!strcmp(which, "fixed")) {
    mmap((void*)0x600000000000, 4096, kAccess, kAnonymous | MAP_FIXED, -1, 0);
  } else if (!strcmp(which, "device")) {
    some(MAP_PRIVATE, open("/dev/null", O_RDWR));
  } else if (!strcmp(which, "second-address")) {
    const int fd = object();
    mmap(NULL, 4096, kAccess, MAP_SHARED, fd, 0);
    some(MAP_SHARED, fd);
  } else if (!strcmp(which, "fixed-alias")) {
    const int fd = object();
    some(MAP_SHARED, fd);
    mmap(some(kAnonymous, -1), 4 * 4096, kAccess, MAP_SHARED | MAP_FIXED, fd, 0);
  } else if (!strcmp(which, "part-of-alias")) {
    const int fd = object();
    some(MAP_SHARED, fd);
    munmap(some(MAP_SHARED, fd), 4096);
  } else if (!strcmp(which, "heap")) {
    munmap(aligned_alloc(4096, 4096), 4096);
  } else if (!strcmp(which, "remap-nothing")) {
    mremap(some(MAP_SHARED | MAP_ANONYMOUS, -1), 0, 4096, MREMAP_MAYMOVE);
  } else if (!strcmp(which, "shmat")) {
    const int id = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
    void* const at = some(kAnonymous, -1);
    shmctl(id, IPC_RMID, NULL);
    shmat(id, at, SHM_REMAP);
  } else if (!strcmp(which, "file-pages")) {
    remap_file_pages(some(MAP_SHARED, object()), 4096, 0, 1, 0);
  } else if (!strcmp(which, "fork")) {
    some(MAP_SHARED | MAP_ANONYMOUS, -1);
    if (fork() == 0) _exit(0);
    wait(NULL);
  } else if (!strcmp(which, "child-shm") || !strcmp(which, "child-shmat")) {
    share_in_child(which);
    return 0;
  }
  printf("not refused\n");
  return 0;
}
