// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls what a job of several nodes refuses, on the last thread, in a region.
#define _GNU_SOURCE
#include <linux/seccomp.h>
#include <omp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/io.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utmpx.h>
#include <wchar.h>

int capset(void* header, const void* data);

static void call(const char* name) {
  char* const arguments[] = {"true", NULL};
  if (strcmp(name, "unshare") == 0) unshare(CLONE_FS);
  if (strcmp(name, "setns") == 0) setns(0, 0);
  if (strcmp(name, "chroot") == 0) (void)!chroot("/tmp");
  if (strcmp(name, "ioperm") == 0) ioperm(0, 1, 1);
  if (strcmp(name, "iopl") == 0) iopl(3);
  if (strcmp(name, "daemon") == 0) (void)!daemon(0, 0);
  if (strcmp(name, "personality") == 0) personality(ADDR_NO_RANDOMIZE);
  if (strcmp(name, "ptrace") == 0) ptrace(PTRACE_TRACEME, 0, NULL, NULL);
  if (strcmp(name, "prctl") == 0) prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0);
  if (strcmp(name, "seccomp") == 0) syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, NULL);
  if (strcmp(name, "capset") == 0) capset(NULL, NULL);
  if (strcmp(name, "kill") == 0) kill(0, SIGURG);
  if (strcmp(name, "killpg") == 0) killpg(getpgrp(), SIGURG);
  for (int to = 256; to < 512 && strcmp(name, "dup2") == 0; ++to) dup2(1, to);
  if (strcmp(name, "getutxent") == 0) getutxent();
  if (strcmp(name, "wscanf") == 0) wscanf(L"a");
  if (strcmp(name, "getopt") == 0) getopt(0, arguments, "a");
  if (strcmp(name, "execv") == 0) execv("/bin/true", arguments);
  if (strcmp(name, "execvp") == 0) execvp("true", arguments);
  if (strcmp(name, "execl") == 0) execl("/bin/true", "true", (char*)NULL);
}

int main(int argc, char** argv) {
#pragma omp parallel
  if (omp_get_thread_num() == omp_get_num_threads() - 1 && argc > 1) call(argv[1]);
  printf("nothing has happened\n");
  return 0;
}
