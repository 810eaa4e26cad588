// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LU decomposition, again and again of the same matrix. Blocks of rows go round among the threads.
#include <omp.h>

#include "lu_kernel.h"

static Row matrix[kOrder], originals[kOrder];

static void initialise(void) {
#pragma omp parallel
  for (int block = omp_get_thread_num(); block < kBlocks; block += omp_get_num_threads())
    for (int i = block * kBlock; i < (block + 1) * kBlock; ++i)
      for (int j = 0; j < kOrder; ++j) originals[i][j] = original(i, j);
}

static void decompose(void) {
  const int thread = omp_get_thread_num(), threads = omp_get_num_threads();
  for (int block = thread; block < kBlocks; block += threads)
    memcpy(matrix[block * kBlock], originals[block * kBlock], sizeof(Row) * kBlock);
  for (int pivot = 0; pivot < kBlocks; ++pivot) {
    if (pivot % threads == thread) factor_block(matrix + pivot * kBlock, pivot);
#pragma omp barrier
    for (int block = thread; block < kBlocks; block += threads)
      if (block > pivot) update_block(matrix + block * kBlock, matrix + pivot * kBlock, pivot);
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
  for (int i = 0; i < kOrder; ++i)
    for (int j = 0; j < kOrder; ++j) sum += matrix[i][j] * (j % 7 + 1);
  bench_report(iterations, seconds, sum);
}
