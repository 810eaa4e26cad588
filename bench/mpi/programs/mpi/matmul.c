// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Powers of a matrix: B becomes A B, of order 384, again and again; each rank has some rows of A
// and makes those of the product, which all then gather.
#include "../bench_mpi.h"

enum { kOrder = 384 };
typedef double Row[kOrder];

static Row *a, *b, *product;
static int counts[1024], places[1024];

static void initialise(int first, int rows) {
  a = bench_allocate(sizeof(Row) * (size_t)rows);
  product = bench_allocate(sizeof(Row) * (size_t)rows);
  b = bench_allocate(sizeof(Row) * kOrder);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < kOrder; ++j)
      a[i][j] = 2 * bench_random((uint64_t)((first + i) * kOrder + j)) / kOrder;
  for (int i = 0; i < kOrder; ++i)
    for (int j = 0; j < kOrder; ++j) b[i][j] = bench_random((uint64_t)(j * kOrder + i) + 1000000);
  for (int other = 0; other < ranks; ++other) {
    places[other] = kOrder * bench_first(kOrder, other);
    counts[other] = kOrder * bench_first(kOrder, other + 1) - places[other];
  }
}

static void multiply(int rows) {
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < kOrder; ++j) product[i][j] = 0;
    for (int k = 0; k < kOrder; ++k)
      for (int j = 0; j < kOrder; ++j) product[i][j] += a[i][k] * b[k][j];
  }
  MPI_Allgatherv(product, counts[rank], MPI_DOUBLE, b, counts, places, MPI_DOUBLE, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  const int iterations = bench_begin(argc, argv);
  const int first = bench_first(kOrder, rank);
  const int rows = bench_first(kOrder, rank + 1) - first;
  initialise(first, rows);
  double start = 0, sum = 0;
  for (int k = 0; k < iterations; ++k) {
    if (k == iterations / 2) start = bench_meet();
    multiply(rows);
  }
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < kOrder; ++j) sum += product[i][j] * (j % 7 + 1);
  return bench_end(iterations, start, sum);
}
