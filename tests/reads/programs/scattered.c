// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A table that thread 0 has written, of which the last thread reads a word of so many pages as the
// argument says, in no order. tests/reads/run counts its faults.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { kPages = 2048, kPageWords = 512 };

static long table[kPages][kPageWords] __attribute__((aligned(64 * 4096)));
static int order[kPages];

static void shuffle(void) {
  unsigned long random = 88172645463325252UL;
  for (int page = 0; page < kPages; ++page) order[page] = page;
  for (int left = kPages; left > 1; --left) {
    random = random * 6364136223846793005UL + 1442695040888963407UL;
    const int other = (int)((random >> 33) % (unsigned)left), mine = order[left - 1];
    order[left - 1] = order[other];
    order[other] = mine;
  }
}

int main(int argc, char** argv) {
  const int count = argc > 1 ? atoi(argv[1]) : kPages;
  int wrong = 0;
  shuffle();
#pragma omp parallel reduction(+ : wrong)
  {
    // Each page names the next: nobody knows it before.
    if (omp_get_thread_num() == 0)
      for (int turn = 0; turn < kPages; ++turn)
        table[order[turn]][turn % kPageWords] = order[(turn + 1) % kPages];
#pragma omp barrier
    if (omp_get_thread_num() == omp_get_num_threads() - 1) {
      long at = order[0];
      for (int turn = 0; turn < count; ++turn) {
        wrong += at != order[turn];
        at = table[at][turn % kPageWords];
      }
    }
  }
  printf("%d wrong\n", wrong);
  return wrong != 0;
}
