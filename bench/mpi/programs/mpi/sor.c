// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Red-black successive over-relaxation on a grid of 2000 x 1000: strips of rows, a row beyond each
// end, and each colour in an array of its own, so that only what changed is sent.
#include "../bench_mpi.h"

enum { kRows = 2000, kHalf = 500 };  // half the columns
static const double kOmega = 1.5;
typedef double Row[kHalf];

static double start_value(int i, int j) {
  if (i == 0 || i == kRows + 1) return i == 0;
  return bench_random((uint64_t)(i * kHalf + j));
}

static void exchange(Row* colour, int rows) {
  const int up = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  const int down = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
  MPI_Request requests[4];
  MPI_Irecv(colour[0], kHalf, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(colour[rows + 1], kHalf, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(colour[1], kHalf, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(colour[rows], kHalf, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

static void sweep(Row* mine, Row* other, int rows, int parity) {
  for (int i = 1; i <= rows; ++i) {
    const int shift = (i + parity) % 2 == 0 ? -1 : 1;
    for (int j = 1; j < kHalf - 1; ++j)
      mine[i][j] +=
          kOmega * (0.25 * (other[i - 1][j] + other[i + 1][j] + other[i][j] + other[i][j + shift]) -
                    mine[i][j]);
  }
}

int main(int argc, char** argv) {
  const int iterations = bench_begin(argc, argv);
  const int first = bench_first(kRows, rank);
  const int rows = bench_first(kRows, rank + 1) - first;
  Row* points[2];
  for (int colour = 0; colour < 2; ++colour) {
    points[colour] = bench_allocate(sizeof(Row) * (size_t)(rows + 2));
    for (int i = 0; i < rows + 2; ++i)
      for (int j = 0; j < kHalf; ++j) points[colour][i][j] = start_value(first + i, j);
  }
  double start = 0, sum = 0;
  for (int k = 0; k < iterations; ++k) {
    if (k == iterations / 2) start = bench_meet();
    for (int colour = 0; colour < 2; ++colour) {
      sweep(points[colour], points[1 - colour], rows, first + colour);
      exchange(points[colour], rows);
    }
  }
  for (int i = 1; i <= rows; ++i)
    for (int j = 0; j < kHalf; ++j) sum += (points[0][i][j] - 2 * points[1][i][j]) * (j % 7 + 1);
  return bench_end(iterations, start, sum);
}
