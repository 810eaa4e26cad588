/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The part of MPI that published programs call, for a job of one process: their OpenMP is what is
   tried. A message can only go to its sender, and its receive has to be posted first. */
#ifndef WEFT_PUBLISHED_MPI_H
#define WEFT_PUBLISHED_MPI_H

#ifdef __cplusplus
extern "C" {
#endif

/* A data type is its size in bytes, a request the number of a posted receive, or 0. */
typedef int MPI_Comm;
typedef int MPI_Datatype;
typedef int MPI_Info;
typedef int MPI_Op;
typedef int MPI_Request;
typedef long long MPI_Offset;
typedef struct {
  int unused;
} MPI_Status;

#define MPI_SUCCESS 0
#define MPI_COMM_WORLD 0
#define MPI_INFO_NULL 0
#define MPI_INT 4
#define MPI_DOUBLE 8
#define MPI_SUM 0
#define MPI_STATUSES_IGNORE ((MPI_Status*)0)

int MPI_Init(int* argc, char*** argv);
int MPI_Finalize(void);
int MPI_Comm_rank(MPI_Comm comm, int* rank);
int MPI_Comm_size(MPI_Comm comm, int* size);
int MPI_Barrier(MPI_Comm comm);
int MPI_Allreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op operation,
                  MPI_Comm comm);
int MPI_Irecv(void* to, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
              MPI_Request* request);
int MPI_Isend(const void* from, int count, MPI_Datatype type, int destination, int tag,
              MPI_Comm comm, MPI_Request* request);
int MPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses);

#ifdef __cplusplus
}
#endif
#endif
