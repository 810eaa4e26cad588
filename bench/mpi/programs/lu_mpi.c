// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LU decomposition, again and again of the same matrix. Blocks of rows go round among the ranks,
// and a factored block is broadcast, without what is left of its diagonal.
#include "bench_mpi.h"
#include "lu_kernel.h"

static Row *matrix, *originals;  // this rank's blocks, one after the other
static Row pivots[kBlock];

static void initialise(void) {
  matrix = bench_allocate(sizeof(Row) * kOrder);
  originals = bench_allocate(sizeof(Row) * kOrder);
  for (int block = rank, mine = 0; block < kBlocks; block += ranks, ++mine)
    for (int i = 0; i < kBlock; ++i)
      for (int j = 0; j < kOrder; ++j)
        originals[mine * kBlock + i][j] = original(block * kBlock + i, j);
}

static void broadcast_block(int pivot) {
  static double packed[kBlock * kOrder];
  const int begin = pivot * kBlock, width = kOrder - begin, is_mine = pivot % ranks == rank;
  const size_t bytes = sizeof(double) * (size_t)width;
  const Row* const mine = matrix + pivot / ranks * kBlock;
  if (is_mine)
    for (int i = 0; i < kBlock; ++i) memcpy(packed + i * width, mine[i] + begin, bytes);
  MPI_Bcast(packed, kBlock * width, MPI_DOUBLE, pivot % ranks, MPI_COMM_WORLD);
  for (int i = 0; i < kBlock; ++i) memcpy(pivots[i] + begin, packed + i * width, bytes);
}

static void decompose(void) {
  memcpy(matrix, originals, sizeof(Row) * kOrder);
  for (int pivot = 0; pivot < kBlocks; ++pivot) {
    if (pivot % ranks == rank) factor_block(matrix + pivot / ranks * kBlock, pivot);
    broadcast_block(pivot);
    for (int block = rank, mine = 0; block < kBlocks; block += ranks, ++mine)
      if (block > pivot) update_block(matrix + mine * kBlock, pivots, pivot);
  }
}

int main(int argc, char** argv) {
  const int iterations = bench_begin(argc, argv);
  double start = 0, sum = 0;
  initialise();
  for (int k = 0; k < iterations; ++k) {
    if (k == iterations / 2) start = bench_meet();
    decompose();
  }
  for (int block = rank, mine = 0; block < kBlocks; block += ranks, ++mine)
    for (int i = 0; i < kBlock; ++i)
      for (int j = 0; j < kOrder; ++j) sum += matrix[mine * kBlock + i][j] * (j % 7 + 1);
  return bench_end(iterations, start, sum);
}
