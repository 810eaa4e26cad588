! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Stands in for NPB's CG with MPI.
      program cg
      implicit none
      include 'mpif.h'
      integer rank, error
      double precision total, start
      call mpi_init(error)
      call mpi_comm_rank(mpi_comm_world, rank, error)
      start = mpi_wtime()
      call mpi_allreduce(1d0, total, 1, mpi_double_precision,
     &                   mpi_sum, mpi_comm_world, error)
      if (rank .eq. 0) then
        print '(a,f15.2)', ' Time in seconds = ', mpi_wtime() - start
        print *, 'Verification    =               SUCCESSFUL'
      end if
      call mpi_finalize(error)
      end
