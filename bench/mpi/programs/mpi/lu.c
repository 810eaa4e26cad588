// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LU decomposition, again and again of the same matrix. Rows of blocks go round among the ranks,
// and a factored row is broadcast, without what is left of its diagonal.
#include "../bench_mpi.h"
#include "../lu_kernel.h"

static BlockRow *matrix, *originals;  // this rank's rows, one after the other
static BlockRow pivots;

static void initialise(void) {
  matrix = bench_allocate(sizeof(BlockRow) * kBlocks);
  originals = bench_allocate(sizeof(BlockRow) * kBlocks);
  for (int row = rank, mine = 0; row < kBlocks; row += ranks, ++mine)
    original_row(originals[mine], row);
}

// Returns the row, which is this rank's own or in `pivots`.
static Block* broadcast_row(int pivot) {
  Block* const row = pivot % ranks == rank ? matrix[pivot / ranks] : pivots;
  MPI_Bcast(row[pivot], (kBlocks - pivot) * kBlock * kBlock, MPI_DOUBLE, pivot % ranks,
            MPI_COMM_WORLD);
  return row;
}

static void decompose(void) {
  for (int row = rank, mine = 0; row < kBlocks; row += ranks, ++mine)
    memcpy(matrix[mine], originals[mine], sizeof(BlockRow));
  for (int pivot = 0; pivot < kBlocks; ++pivot) {
    if (pivot % ranks == rank) factor_row(matrix[pivot / ranks], pivot);
    Block* const factored = broadcast_row(pivot);
    for (int row = rank, mine = 0; row < kBlocks; row += ranks, ++mine)
      if (row > pivot) update_row(matrix[mine], factored, pivot);
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
  for (int row = rank, mine = 0; row < kBlocks; row += ranks, ++mine)
    sum += checksum_row(matrix[mine]);
  return bench_end(iterations, start, sum);
}
