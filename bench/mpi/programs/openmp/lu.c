// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LU decomposition, again and again of the same matrix. Rows of blocks go round among the threads.
#include <omp.h>

#include "../lu_kernel.h"

static BlockRow matrix[kBlocks], originals[kBlocks];

static void initialise(void) {
#pragma omp parallel
  for (int row = omp_get_thread_num(); row < kBlocks; row += omp_get_num_threads())
    original_row(originals[row], row);
}

static void decompose(void) {
  const int thread = omp_get_thread_num(), threads = omp_get_num_threads();
  for (int row = thread; row < kBlocks; row += threads)
    memcpy(matrix[row], originals[row], sizeof(BlockRow));
  for (int pivot = 0; pivot < kBlocks; ++pivot) {
    if (pivot % threads == thread) factor_row(matrix[pivot], pivot);
#pragma omp barrier
    for (int row = thread; row < kBlocks; row += threads)
      if (row > pivot) update_row(matrix[row], matrix[pivot], pivot);
  }
}

int main(int argc, char** argv) {
  const int iterations = bench_iterations(argc, argv);
  double start = 0, sum = 0;
  initialise();
#pragma omp parallel
  for (int k = 0; k < iterations; ++k) {
#pragma omp master
    if (k == iterations / 2) start = bench_clock();
    decompose();
  }
  const double seconds = bench_clock() - start;
  for (int row = 0; row < kBlocks; ++row) sum += checksum_row(matrix[row]);
  bench_report(iterations, seconds, sum);
}
