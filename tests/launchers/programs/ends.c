/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Ends on the thread that is named, in the way that is named: ends WAY THREAD [NUMBER]. */
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void on_signal(int number) {
  printf("handled %d\n", number);
  exit(5);
}

static void end(const char* way, int number) {
  if (strcmp(way, "exit") == 0) exit(number);
  if (strcmp(way, "at-once") == 0) _exit(number);
  if (strcmp(way, "crash") == 0) *(volatile int*)8 = 0;
  if (strcmp(way, "ignore") == 0) signal(SIGTERM, SIG_IGN);
  if (strcmp(way, "wait") == 0 || strcmp(way, "ignore") == 0) {
    printf("waiting\n");
    fflush(stdout);
  }
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  signal(SIGTERM, on_signal);
#pragma omp parallel
  {
    if (omp_get_thread_num() == atoi(argv[2])) end(argv[1], argc > 3 ? atoi(argv[3]) : 0);
    for (;;) pause();
  }
}
