// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Jacobi's method for Laplace's equation on a grid of 2000 x 1000, in two grids: strips of rows,
// and a row beyond each end that the neighbours send.
#include "../bench_mpi.h"

enum { kRows = 2000, kColumns = 1000 };
typedef double Row[kColumns];

static double start_value(int i, int j) {
  if (i == 0 || i == kRows + 1) return i == 0;
  return bench_random((uint64_t)(i * kColumns + j));
}

static void exchange(Row* grid, int rows) {
  const int up = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  const int down = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
  MPI_Request requests[4];
  MPI_Irecv(grid[0], kColumns, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(grid[rows + 1], kColumns, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(grid[1], kColumns, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(grid[rows], kColumns, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

static void sweep(Row* to, Row* from, int rows) {
  for (int i = 1; i <= rows; ++i)
    for (int j = 1; j < kColumns - 1; ++j)
      to[i][j] = 0.25 * (from[i - 1][j] + from[i + 1][j] + from[i][j - 1] + from[i][j + 1]);
}

int main(int argc, char** argv) {
  const int iterations = bench_begin(argc, argv);
  const int first = bench_first(kRows, rank);
  const int rows = bench_first(kRows, rank + 1) - first;
  Row* grids[2];
  for (int g = 0; g < 2; ++g) {
    grids[g] = bench_allocate(sizeof(Row) * (size_t)(rows + 2));
    for (int i = 0; i < rows + 2; ++i)
      for (int j = 0; j < kColumns; ++j) grids[g][i][j] = start_value(first + i, j);
  }
  double start = 0, sum = 0;
  for (int k = 0; k < iterations; ++k) {
    if (k == iterations / 2) start = bench_meet();
    exchange(grids[k % 2], rows);
    sweep(grids[(k + 1) % 2], grids[k % 2], rows);
  }
  for (int i = 1; i <= rows; ++i)
    for (int j = 0; j < kColumns; ++j) sum += grids[iterations % 2][i][j] * (j % 7 + 1);
  return bench_end(iterations, start, sum);
}
