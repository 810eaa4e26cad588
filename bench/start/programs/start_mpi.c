/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Process 0 says so in the first line of main, and when all have met; then all end. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
  const char* rank = getenv("OMPI_COMM_WORLD_RANK");
  const int is_first = rank != NULL && strcmp(rank, "0") == 0;
  if (is_first) {
    printf("main\n");
    fflush(stdout);
  }
  MPI_Init(&argc, &argv);
  if (is_first) {
    printf("joined\n");
    fflush(stdout);
  }
  int one = 1, all = 0;
  MPI_Reduce(&one, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (is_first) printf("all %d\n", all);
  MPI_Finalize();
  return 0;
}
