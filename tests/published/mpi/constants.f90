! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! MPI's constants for a job of one process, in Fortran of either form; a data type is its size in bytes.
      integer, parameter :: MPI_COMM_WORLD = 0, MPI_INFO_NULL = 0, MPI_PROC_NULL = -1, MPI_STATUS_SIZE = 1
      integer, parameter :: MPI_INTEGER = 4, MPI_REAL = 4, MPI_REAL8 = 8, MPI_DOUBLE_PRECISION = 8
      integer, parameter :: MPI_SUM = 0, MPI_MIN = 0, MPI_MAX = 0, MPI_OFFSET_KIND = 8
