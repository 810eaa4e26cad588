/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The part of PnetCDF that published programs call, for a job of one process: what they put into
   variables is appended to the file as it is. */
#ifndef WEFT_PUBLISHED_PNETCDF_H
#define WEFT_PUBLISHED_PNETCDF_H

#include "mpi.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NC_NOERR 0
#define NC_CLOBBER 0
#define NC_WRITE 1
#define NC_DOUBLE 8
#define NC_UNLIMITED 0

int ncmpi_create(MPI_Comm comm, const char* path, int mode, MPI_Info info, int* file);
int ncmpi_open(MPI_Comm comm, const char* path, int mode, MPI_Info info, int* file);
int ncmpi_close(int file);
int ncmpi_def_dim(int file, const char* name, MPI_Offset length, int* dimension);
int ncmpi_def_var(int file, const char* name, int type, int count, const int* dimensions,
                  int* variable);
int ncmpi_inq_varid(int file, const char* name, int* variable);
int ncmpi_enddef(int file);
int ncmpi_begin_indep_data(int file);
int ncmpi_end_indep_data(int file);
int ncmpi_put_vara_double(int file, int variable, const MPI_Offset* start, const MPI_Offset* count,
                          const double* values);
int ncmpi_put_vara_double_all(int file, int variable, const MPI_Offset* start,
                              const MPI_Offset* count, const double* values);
const char* ncmpi_strerror(int error);

#ifdef __cplusplus
}
#endif
#endif
