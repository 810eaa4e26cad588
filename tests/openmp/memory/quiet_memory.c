// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Much shared memory that all threads have and nobody writes for long, until all of them write
// pages of it here and there, while others of their node release locks all the time: what is no
// longer watched page by page must be again, and no write may be lost.
#include <omp.h>

#include "../check.h"

enum { kPages = 2048, kLongs = 512, kRounds = 4, kQuiet = 80, kWrites = 300 };

static long memory[kPages][kLongs];
static long released;

static unsigned next(unsigned* state) { return *state = *state * 1664525u + 1013904223u; }

static long sum_of_all(void) {
  long sum = 0;
  for (int page = 0; page < kPages; ++page)
    for (int i = 0; i < kLongs; i += 8) sum += memory[page][i];
  return sum;
}

// Each thread counts in a slot of its own in each page.
static void write_here_and_there(int thread, int round) {
  unsigned state = 17u * (unsigned)thread + (unsigned)round;
  for (int i = 0; i < kWrites; ++i) {
    ++memory[(next(&state) >> 8) % kPages][8 * thread];
    if (thread % 2 == 0 && i % 10 == 0) {
#pragma omp critical
      ++released;
    }
  }
}

int main(void) {
#pragma omp parallel
  {
    const int thread = omp_get_thread_num(), threads = omp_get_num_threads();
    for (int round = 0; round < kRounds; ++round) {
      const long sum = sum_of_all();
      EXPECT(sum == (long)round * kWrites * threads, "round %d: the sum is %ld", round, sum);
      for (int i = 0; i < kQuiet; ++i) {
#pragma omp barrier
      }
      write_here_and_there(thread, round);
#pragma omp barrier
    }
    const long sum = sum_of_all();
    EXPECT(sum == (long)kRounds * kWrites * threads, "the sum is %ld at the end", sum);
  }
  return ok();
}
