/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* MPI for a job of one process (see mpi.h), for C and for Fortran, whose names end in an
 * underscore. */

#include "mpi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_receives = 16 };

static struct {
  void* to;
  int bytes;
  int tag;
  int waiting;
} receives[most_receives];

int MPI_Init(int* argc, char*** argv) { return MPI_SUCCESS; }

int MPI_Finalize(void) { return MPI_SUCCESS; }

int MPI_Barrier(MPI_Comm comm) { return MPI_SUCCESS; }

int MPI_Comm_rank(MPI_Comm comm, int* rank) {
  *rank = 0;
  return MPI_SUCCESS;
}

int MPI_Comm_size(MPI_Comm comm, int* size) {
  *size = 1;
  return MPI_SUCCESS;
}

int MPI_Allreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op operation,
                  MPI_Comm comm) {
  memcpy(to, from, (size_t)count * type);
  return MPI_SUCCESS;
}

static void misused(const char* what) {
  fprintf(stderr, "tests/published/mpi: %s\n", what);
  abort();
}

int MPI_Irecv(void* to, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
              MPI_Request* request) {
  int at = 1;
  while (at < most_receives && receives[at].waiting) ++at;
  if (at == most_receives) misused("too many receives are posted");
  receives[at].to = to;
  receives[at].bytes = count * type;
  receives[at].tag = tag;
  receives[at].waiting = 1;
  *request = at;
  return MPI_SUCCESS;
}

int MPI_Isend(const void* from, int count, MPI_Datatype type, int destination, int tag,
              MPI_Comm comm, MPI_Request* request) {
  int at = 1;
  while (at < most_receives && !(receives[at].waiting && receives[at].tag == tag)) ++at;
  if (at == most_receives || receives[at].bytes != count * type)
    misused("a message has no receive that fits");
  memcpy(receives[at].to, from, (size_t)count * type);
  receives[at].waiting = 0;
  *request = 0;
  return MPI_SUCCESS;
}

int MPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
  for (int i = 0; i < count; ++i)
    if (receives[requests[i]].waiting) misused("a message is waited for that nobody has sent");
  return MPI_SUCCESS;
}

void mpi_init_(int* error) { *error = MPI_SUCCESS; }

void mpi_finalize_(int* error) { *error = MPI_SUCCESS; }

void mpi_barrier_(int* comm, int* error) { *error = MPI_SUCCESS; }

void mpi_abort_(int* comm, int* code, int* error) { exit(1); }

void mpi_comm_rank_(int* comm, int* rank, int* error) { *error = MPI_Comm_rank(*comm, rank); }

void mpi_comm_size_(int* comm, int* size, int* error) { *error = MPI_Comm_size(*comm, size); }

void mpi_allreduce_(void* from, void* to, int* count, int* type, int* operation, int* comm,
                    int* error) {
  *error = MPI_Allreduce(from, to, *count, *type, *operation, *comm);
}

void mpi_reduce_(void* from, void* to, int* count, int* type, int* operation, int* root, int* comm,
                 int* error) {
  *error = MPI_Allreduce(from, to, *count, *type, *operation, *comm);
}

void mpi_allgather_(void* from, int* count, int* type, void* to, int* to_count, int* to_type,
                    int* comm, int* error) {
  *error = MPI_Allreduce(from, to, *count, *type, MPI_SUM, *comm);
}

void mpi_irecv_(void* to, int* count, int* type, int* source, int* tag, int* comm, int* request,
                int* error) {
  *error = MPI_Irecv(to, *count, *type, *source, *tag, *comm, request);
}

void mpi_isend_(void* from, int* count, int* type, int* destination, int* tag, int* comm,
                int* request, int* error) {
  *error = MPI_Isend(from, *count, *type, *destination, *tag, *comm, request);
}

void mpi_waitall_(int* count, int* requests, void* statuses, int* error) {
  *error = MPI_Waitall(*count, requests, NULL);
}

void mpi_testall_(int* count, int* requests, int* done, void* statuses, int* error) {
  *done = 1;
  *error = MPI_Waitall(*count, requests, NULL);
}

/* A grid of processes: one in each direction, without neighbours. */

void mpi_dims_create_(int* processes, int* directions, int* sizes, int* error) {
  for (int i = 0; i < *directions; ++i) sizes[i] = 1;
  *error = MPI_SUCCESS;
}

void mpi_cart_create_(int* comm, int* directions, int* sizes, int* periodic, int* reorder,
                      int* grid, int* error) {
  *grid = *comm;
  *error = MPI_SUCCESS;
}

void mpi_cart_coords_(int* grid, int* rank, int* directions, int* coordinates, int* error) {
  for (int i = 0; i < *directions; ++i) coordinates[i] = 0;
  *error = MPI_SUCCESS;
}

void mpi_cart_shift_(int* grid, int* direction, int* distance, int* source, int* destination,
                     int* error) {
  *source = *destination = -1;
  *error = MPI_SUCCESS;
}
