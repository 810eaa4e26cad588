// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The synthetic program of the RMP paper: 4 locks, each of which protects 40 variables on 40 pages.
// Every thread changes the 40 variables of each lock, 100 times.
#include <omp.h>

#include "../../mpi/programs/bench.h"

enum { kLocks = 4, kVariables = 40, kRounds = 100, kPageWords = 4096 / sizeof(long) };

static _Alignas(4096) long pages[kLocks][kVariables][kPageWords];
static omp_lock_t locks[kLocks];

int main(void) {
  for (int lock = 0; lock < kLocks; ++lock) omp_init_lock(&locks[lock]);
  const double start = bench_clock();
#pragma omp parallel
  for (int round = 0; round < kRounds; ++round)
    for (int lock = 0; lock < kLocks; ++lock) {
      omp_set_lock(&locks[lock]);
      for (int variable = 0; variable < kVariables; ++variable) ++pages[lock][variable][0];
      omp_unset_lock(&locks[lock]);
    }
  const double seconds = bench_clock() - start;
  long least = pages[0][0][0], most = least;
  for (int lock = 0; lock < kLocks; ++lock)
    for (int variable = 0; variable < kVariables; ++variable) {
      const long value = pages[lock][variable][0];
      least = value < least ? value : least;
      most = value > most ? value : most;
    }
  printf("time_us %.3f checksum %.12e\n", seconds * 1e6, least == most ? (double)most : -1.0);
}
