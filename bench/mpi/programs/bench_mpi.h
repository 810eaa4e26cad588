// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the MPI programs share: who they are, what their part is, and when the clock starts.
#pragma once

#include <mpi.h>

#include "bench.h"

static int rank, ranks;

static inline int bench_begin(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  return bench_iterations(argc, argv);
}

// The first of `count` things that belongs to this rank; the parts differ by one at most.
static inline int bench_first(int count, int of_rank) {
  return (int)((long)count * of_rank / ranks);
}

// Reads the clock, in the middle iteration, when all ranks are there.
static inline double bench_meet(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  return bench_clock();
}

// `part` is this rank's share of the checksum.
static inline int bench_end(int iterations, double start, double part) {
  const double seconds = bench_meet() - start;
  double sum = 0;
  MPI_Reduce(&part, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) bench_report(iterations, seconds, sum);
  MPI_Finalize();
  return 0;
}
