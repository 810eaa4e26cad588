// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// wait_to_be_killed PLACE THREAD: prints "ready PID" when the process of the OpenMP thread THREAD
// is in a parallel region, about to wait at a barrier, or holds a lock that all others ask for.
// Never ends.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <weft/process.h>

static double values[1 << 16];

static void say_ready(void) {
  char line[64];
  const int length = snprintf(line, sizeof line, "ready %d\n", (int)weft_node_pid());
  (void)!write(STDOUT_FILENO, line, (size_t)length);
}

static void in_region(int me, int victim) {
  if (me == victim) say_ready();
  for (long round = 0;; ++round) {  // work that keeps moving pages
#pragma omp for
    for (int i = 0; i < 1 << 16; ++i) values[i] = values[i] * 0.5 + values[(i + 4096) % (1 << 16)];
    if (round > 100) usleep(1000);  // others want the processors; when does not matter
  }
}

static void at_barrier(int me, int victim) {
  if (me == victim) say_ready();
  if (me == omp_get_num_threads() - 1 - victim) pause();  // so nobody gets past it
#pragma omp barrier
}

static void holding_lock(int me, int victim) {
  static volatile int held;
  if (me != victim) {
    for (int seen = 0; seen == 0;) {
#pragma omp atomic read
      seen = held;
    }
  }
#pragma omp critical
  {
#pragma omp atomic write
    held = 1;
    say_ready();
    pause();
  }
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const int victim = atoi(argv[2]);
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    if (strcmp(argv[1], "region") == 0) in_region(me, victim);
    if (strcmp(argv[1], "barrier") == 0) at_barrier(me, victim);
    if (strcmp(argv[1], "lock") == 0) holding_lock(me, victim);
  }
  return 0;
}
