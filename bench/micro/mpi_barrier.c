// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a barrier takes under MPI, beside which bench/micro/run prints Weft's. Prints a line for each
// repetition: name, value, unit, operations. Usage: mpi_barrier NAME [REPETITIONS]
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kOperations = 2000 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int repetitions = argc > 2 ? atoi(argv[2]) : 5;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    for (int i = 0; i < kOperations; ++i) MPI_Barrier(MPI_COMM_WORLD);
    const double seconds = MPI_Wtime() - start;
    if (rank == 0) printf("%s %.4f us %d\n", argv[1], seconds / kOperations * 1e6, kOperations);
  }
  MPI_Finalize();
  return 0;
}
