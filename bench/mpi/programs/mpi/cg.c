// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conjugate gradients for a sparse matrix of order 14,000: strips of rows; the direction is
// gathered by all in each iteration, since every row has entries everywhere.
#include "../cg_matrix.h"

#include "../bench_mpi.h"

static int first, rows;
static int counts[1024], places[1024];
static SparseRow* matrix;
static double *x, *r, *q;
static double p[kOrder];

static double sum_of_all(double part) {
  double sum = 0;
  MPI_Allreduce(&part, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

static double initialise(void) {
  for (int other = 0; other < ranks; ++other) {
    places[other] = bench_first(kOrder, other);
    counts[other] = bench_first(kOrder, other + 1) - places[other];
  }
  first = places[rank];
  rows = counts[rank];
  matrix = bench_allocate(sizeof(SparseRow) * (size_t)rows);
  x = bench_allocate(sizeof(double) * (size_t)rows);
  r = bench_allocate(sizeof(double) * (size_t)rows);
  q = bench_allocate(sizeof(double) * (size_t)rows);
  double part = 0;
  for (int i = 0; i < rows; ++i) {
    make_row(&matrix[i], first + i);
    x[i] = 0;
    r[i] = p[first + i] = 1 + bench_random((uint64_t)(first + i));
    part += r[i] * r[i];
  }
  return sum_of_all(part);
}

static double iterate(double residual) {
  MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, p, counts, places, MPI_DOUBLE, MPI_COMM_WORLD);
  double part = 0;
  for (int i = 0; i < rows; ++i) {
    q[i] = row_times(&matrix[i], p);
    part += p[first + i] * q[i];
  }
  const double alpha = residual / sum_of_all(part);
  part = 0;
  for (int i = 0; i < rows; ++i) {
    x[i] += alpha * p[first + i];
    r[i] -= alpha * q[i];
    part += r[i] * r[i];
  }
  const double new_residual = sum_of_all(part), beta = new_residual / residual;
  for (int i = 0; i < rows; ++i) p[first + i] = r[i] + beta * p[first + i];
  return new_residual;
}

int main(int argc, char** argv) {
  const int iterations = bench_begin(argc, argv);
  double start = 0, sum = 0, residual = initialise();
  for (int k = 0; k < iterations; ++k) {
    if (k == iterations / 2) start = bench_meet();
    residual = iterate(residual);
  }
  for (int i = 0; i < rows; ++i) sum += x[i] * ((first + i) % 7 + 1);
  return bench_end(iterations, start, sum);
}
