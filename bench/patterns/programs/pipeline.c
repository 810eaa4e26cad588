// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pipeline by flags, as NPB's LU has: each thread has a strip of columns, and begins a row when
// its left neighbour has said by a flag that it is done with it. Arguments: ROWS COLUMNS SWEEPS.
#include "pattern.h"

enum { kMostThreads = 64 };

static uint32_t* grid;
static long rows, columns;
static long done[kMostThreads];  // rows that a thread is done with, in all sweeps

static void row_of_strip(long row, long first, long end) {
  uint32_t* here = grid + row * columns;
  const uint32_t* above = here - columns;
  for (long column = first; column < end; ++column)
    here[column] = here[column - 1] + above[column] * 3 + (here[column] >> 3);
}

static void wait_for(int thread, long row) {
  long there;
  do {
#pragma omp flush
#pragma omp atomic read
    there = done[thread];
  } while (there < row);
#pragma omp flush
}

static void tell(int thread, long row) {
#pragma omp flush
#pragma omp atomic write
  done[thread] = row;
#pragma omp flush
}

static void sweep_all(long sweeps) {
#pragma omp parallel
  {
    const int thread = omp_get_thread_num(), threads = omp_get_num_threads();
    const long first = 1 + (columns - 1) * thread / threads,
               end = 1 + (columns - 1) * (thread + 1) / threads;
    for (long sweep = 0; sweep < sweeps; ++sweep) {
      for (long row = 1; row < rows; ++row) {
        const long turn = sweep * rows + row;
        if (thread > 0) wait_for(thread - 1, turn);
        row_of_strip(row, first, end);
        tell(thread, turn);
      }
#pragma omp barrier
    }
  }
}

static void fill(void) {
  for (long i = 0; i < rows * columns; ++i) grid[i] = (uint32_t)mixed((uint64_t)i);
}

static long sum(void) {
  long total = 0;
  for (long i = 0; i < rows * columns; ++i) total += grid[i];
  return total;
}

int main(int argc, char** argv) {
  rows = argument(argc, argv, 1, 1000);
  columns = argument(argc, argv, 2, 4000);
  const long sweeps = argument(argc, argv, 3, 10);
  grid = malloc(sizeof *grid * (size_t)(rows * columns));
  fill();
  const double start = omp_get_wtime();
  sweep_all(sweeps);
  const double seconds = omp_get_wtime() - start;
  const long found = sum();
  fill();
  for (long sweep = 0; sweep < sweeps; ++sweep)
    for (long row = 1; row < rows; ++row) row_of_strip(row, 1, columns);
  const int status = finish(seconds, found, sum());
  free(grid);
  return status;
}
